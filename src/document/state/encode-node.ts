import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { LearnedPathNode } from "./path-node.ts";

/** Version of the stored form. */
const version = 1;

/** Maps and sets as JSON: no record of the tree has a member of these names. */
function withoutCollections(_key: string, value: unknown): unknown {
  if (value instanceof Map) return { m: [...(value as Map<unknown, unknown>)] };
  if (value instanceof Set) return { s: [...(value as Set<unknown>)] };
  return value;
}

function withCollections(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if ("m" in value) return new Map(value.m as [unknown, unknown][]);
  return "s" in value ? new Set(value.s as unknown[]) : value;
}

/** A tree as compressed JSON. */
export function encodeLearnedPathTree(node: LearnedPathNode): Uint8Array<ArrayBuffer> {
  const text = JSON.stringify({ version, node }, withoutCollections);
  return new Uint8Array(deflateRawSync(text, { level: 4 }));
}

/** Reads what `encodeLearnedPathTree` wrote. */
export function decodeLearnedPathTree(bytes: Uint8Array): LearnedPathNode {
  const text = inflateRawSync(bytes).toString("utf8");
  return (JSON.parse(text, withCollections) as { readonly node: LearnedPathNode }).node;
}

import { createHash, type Hash } from "node:crypto";
import { createObjectShape, type InferredShape } from "../shape/shape.ts";
import { inferPairsShape } from "../shape/infer-text-shape.ts";
import { isLearnableQueryName } from "../name/field-name.ts";
import { parseHttpUrl } from "./address.ts";
import { inferHarRequestBodyShape, inferHarResponseBodyShape } from "./body-shape.ts";
import type { HarEntry } from "./har-entry.ts";
import { inferHeadersShape } from "./header-names.ts";
import { toPathSegmentKey } from "./path-segment.ts";

/** What is learned of one entry: no value of it. */
export interface TrafficObservation {
  /** Origin and segments, as they are kept. */
  readonly path: readonly string[];
  readonly method: string;
  /** Short hash of the whole entry. */
  readonly entry: string;
  /** `2026-11-20`; undefined: the entry does not say. */
  readonly day: string | undefined;
  readonly exchange: InferredShape;
}

/** The methods that OpenAPI 3.1 has a place for. */
const methods = new Set(["GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE"]);

/**
 * Learns one entry. Undefined for an address that cannot be read, a method that no
 * document can hold, and a request that had no answer.
 */
export function observeHarEntry(entry: HarEntry): TrafficObservation | undefined {
  const address = parseHttpUrl(entry.url);
  const method = entry.method.toUpperCase();
  const isAnswered = entry.status >= 100 && entry.status <= 599;
  if (address === undefined || !methods.has(method) || !isAnswered) return undefined;
  const query = inferPairsShape(address.query, isLearnableQueryName);
  return {
    path: [address.origin, ...keysOf(address.segments)],
    method,
    entry: hashOf(entry.content),
    day: dayOf(entry.content["startedDateTime"]),
    exchange: exchangeShape(entry, query),
  };
}

function keysOf(segments: readonly string[]): string[] {
  const keys: string[] = [];
  for (const segment of segments) keys.push(toPathSegmentKey(segment, keys));
  return keys;
}

function exchangeShape(
  { request, response, status }: HarEntry,
  query: InferredShape,
): InferredShape {
  const body = inferHarRequestBodyShape(request);
  return createObjectShape([
    ["query", query],
    ["headers", inferHeadersShape(request)],
    ...(body === undefined ? [] : [["body", body] as const]),
    ["responses", createObjectShape([[status.toString(), inferHarResponseBodyShape(response)]])],
  ]);
}

function dayOf(startedDateTime: unknown): string | undefined {
  if (typeof startedDateTime !== "string") return undefined;
  const time = new Date(startedDateTime).getTime();
  const isSensible = time >= 0 && time < Date.UTC(10_000, 0);
  return isSensible ? new Date(time).toISOString().slice(0, 10) : undefined;
}

/** 64 bits of SHA-256 over the content, whatever the order of its members. */
function hashOf(content: unknown): string {
  const hash = createHash("sha256");
  addContent(hash, content);
  return hash.digest("hex").slice(0, 16);
}

function addContent(hash: Hash, json: unknown): void {
  if (Array.isArray(json)) {
    hash.update(`[${json.length},`);
    for (const item of json) addContent(hash, item);
  } else if (typeof json === "object" && json !== null) {
    const names = Object.keys(json).toSorted();
    hash.update(`{${names.length},`);
    for (const name of names) {
      hash.update(`${name.length}:${name}`);
      addContent(hash, (json as Record<string, unknown>)[name]);
    }
  } else {
    const text = String(json);
    hash.update(`${typeof json} ${text.length}:${text}`);
  }
}

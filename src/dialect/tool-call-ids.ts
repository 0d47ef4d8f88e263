import { createHash } from "node:crypto";
import { UniqueNameAllocator } from "../platform/numbered-names.ts";
import type { NeutralRequest } from "./neutral-request.ts";

const legal = /^[A-Za-z0-9_-]+$/;
const illegal = /[^A-Za-z0-9_-]/gu;

/** Of a history without calls, which most have; made once. */
export const noToolCallIds: ReadonlySet<string> = new Set();
const unchanged: ReadonlyMap<string, string> = new Map();

/** Ids of all calls of the history. */
export function collectToolCallIds({ messages }: NeutralRequest): ReadonlySet<string> {
  const ids: string[] = [];
  for (const { parts } of messages) {
    for (const part of parts) if (part.type === "tool-call") ids.push(part.id);
  }
  return ids.length === 0 ? noToolCallIds : new Set(ids);
}

/**
 * The call ids of the history for an upstream that takes only letters, digits,
 * `_` and `-`, by their originals. What comes later never changes an earlier id,
 * so that the bytes of a growing history stay the same: the later one of two
 * that would meet gets `_` and 6 hex digits of its hash.
 */
export function buildSanitizedCallIdMap(turn: NeutralRequest): ReadonlyMap<string, string> {
  const history = collectToolCallIds(turn);
  if (history.size === 0) return unchanged;
  const ids = new Map<string, string>();
  const names = new UniqueNameAllocator();
  for (const id of history) {
    const wanted = legalId(id);
    ids.set(id, names.take(names.has(wanted) ? `${wanted}_${shortHash(id)}` : wanted));
  }
  return ids;
}

/**
 * Gives the calls of one answer their ids: valid in every dialect, and new in
 * the conversation, since some upstreams begin at `call_0` in every turn. A call
 * without an id gets `call_` and the answer's own id.
 */
export function createUniqueToolCallIdAssigner(
  used: ReadonlySet<string>,
  answerId: string,
): (id: string) => string {
  let names: UniqueNameAllocator | undefined;
  return (id) => {
    names ??= new UniqueNameAllocator(used);
    return names.take(id === "" ? `call_${answerId}` : legalId(id));
  };
}

/** An id that came up again: with 6 hex digits of the hash of id and place. */
export function disambiguateToolCallId(id: string, occurrence: number): string {
  return `${id}_${shortHash(`${id}\0${occurrence}`)}`;
}

function legalId(id: string): string {
  if (id === "") return "toolu_0";
  return legal.test(id) ? id : id.replaceAll(illegal, "_");
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 6);
}

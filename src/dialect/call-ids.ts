import { createHash } from "node:crypto";
import type { Turn } from "./turn.ts";

const legal = /^[A-Za-z0-9_-]+$/;
const illegal = /[^A-Za-z0-9_-]/gu;

/** Of a history without calls, which most have; made once. */
export const noCallIds: ReadonlySet<string> = new Set();
const unchanged: ReadonlyMap<string, string> = new Map();

/** Ids of all calls of the history. */
export function historyCallIds({ messages }: Turn): ReadonlySet<string> {
  const ids: string[] = [];
  for (const { parts } of messages) {
    for (const part of parts) if (part.type === "tool-call") ids.push(part.id);
  }
  return ids.length === 0 ? noCallIds : new Set(ids);
}

/**
 * The call ids of the history for an upstream that takes only letters, digits,
 * `_` and `-`, by their originals. What comes later never changes an earlier id,
 * so that the bytes of a growing history stay the same: the later one of two
 * that would meet gets `_` and 6 hex digits of its hash.
 */
export function legalCallIds(turn: Turn): ReadonlyMap<string, string> {
  const history = historyCallIds(turn);
  if (history.size === 0) return unchanged;
  const ids = new Map<string, string>();
  const taken = new Set<string>();
  for (const id of history) {
    const given = freeId(legalId(id), id, taken);
    taken.add(given);
    ids.set(id, given);
  }
  return ids;
}

/**
 * Gives the calls of one answer their ids: valid in every dialect, and new in
 * the conversation, since some upstreams begin at `call_0` in every turn. A call
 * without an id gets `call_` and the answer's own id.
 */
export function newCallIds(used: ReadonlySet<string>, answerId: string): (id: string) => string {
  let taken: Set<string> | undefined;
  return (id) => {
    taken ??= new Set(used);
    const given = countedId(id === "" ? `call_${answerId}` : legalId(id), taken);
    taken.add(given);
    return given;
  };
}

/** An id that came up again: with 6 hex digits of the hash of id and place. */
export function repeatedId(id: string, occurrence: number): string {
  return `${id}_${shortHash(`${id}\0${occurrence}`)}`;
}

function legalId(id: string): string {
  if (id === "") return "toolu_0";
  return legal.test(id) ? id : id.replaceAll(illegal, "_");
}

function freeId(wanted: string, original: string, taken: ReadonlySet<string>): string {
  return taken.has(wanted) ? countedId(`${wanted}_${shortHash(original)}`, taken) : wanted;
}

function countedId(wanted: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wanted)) return wanted;
  let count = 2;
  while (taken.has(`${wanted}_${count}`)) count += 1;
  return `${wanted}_${count}`;
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 6);
}

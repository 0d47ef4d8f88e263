import { createHash } from "node:crypto";

/** Hexadecimal digits of a short hash: 64 bits. */
const digits = 16;

/** So many are kept of a set: the smallest. Hashes are random, so that the order does not matter. */
export const maxTrafficEntryHashes = 131_072;

/** A short hash by which things are counted once and put in an order that nobody chooses. */
export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, digits);
}

/** The union of two sets, `left` itself when `right` adds nothing. */
export function unionHashSets(
  left: ReadonlySet<string>,
  right: ReadonlySet<string>,
): ReadonlySet<string> {
  const added = [...right].filter((hash) => !left.has(hash));
  return added.length === 0
    ? left
    : keepSmallestHashes(new Set([...left, ...added]), maxTrafficEntryHashes);
}

/** The smallest of a set; taking them before or after a union gives the same. */
export function keepSmallestHashes(
  hashes: ReadonlySet<string>,
  atMost: number,
): ReadonlySet<string> {
  return hashes.size <= atMost ? hashes : new Set([...hashes].toSorted().slice(0, atMost));
}

import { byte } from "./byte.ts";
import { skipWhitespace } from "./end-of-value.ts";
import type { JsonSpan } from "./scan-object.ts";

/** Where the whole member of a value stands, from the first quote of its key; the key holds no quote. */
export function memberSpan(bytes: Buffer, value: JsonSpan): JsonSpan {
  const end = bytes.lastIndexOf(byte.quote, value.start - 1);
  return { start: bytes.lastIndexOf(byte.quote, end - 1), end: value.end };
}

/**
 * Takes a member out of an object that has others: spaces stand in its place, and in that
 * of the comma which parted it from the next, or the last from the one before.
 */
export function blankMember(bytes: Buffer, value: JsonSpan): void {
  const member = memberSpan(bytes, value);
  const next = skipWhitespace(bytes, member.end);
  if (bytes[next] === byte.comma) bytes.fill(byte.space, member.start, next + 1);
  else bytes.fill(byte.space, bytes.lastIndexOf(byte.comma, member.start), member.end);
}

import { jsonByteCodes } from "./byte.ts";
import { skipJsonWhitespace } from "./end-of-value.ts";
import type { JsonSpan } from "./scan-object.ts";

/** Where the whole member of a value stands, from the first quote of its key; the key holds no quote. */
export function expandSpanToWholeMember(bytes: Buffer, value: JsonSpan): JsonSpan {
  const end = bytes.lastIndexOf(jsonByteCodes.quote, value.start - 1);
  return { start: bytes.lastIndexOf(jsonByteCodes.quote, end - 1), end: value.end };
}

/**
 * Takes a member out of an object that has others: spaces stand in its place, and in that
 * of the comma which parted it from the next, or the last from the one before.
 */
export function removeMemberInPlace(bytes: Buffer, value: JsonSpan): void {
  const member = expandSpanToWholeMember(bytes, value);
  const next = skipJsonWhitespace(bytes, member.end);
  if (bytes[next] === jsonByteCodes.comma) bytes.fill(jsonByteCodes.space, member.start, next + 1);
  else
    bytes.fill(
      jsonByteCodes.space,
      bytes.lastIndexOf(jsonByteCodes.comma, member.start),
      member.end,
    );
}

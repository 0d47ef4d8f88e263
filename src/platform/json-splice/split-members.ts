import { jsonByteCodes } from "./byte.ts";
import { findJsonStringEnd } from "./count-values.ts";

/**
 * Returns the bytes of the members of an object by their names, without parsing them. The object
 * was written by `JSON.stringify`. Takes a few milliseconds a megabyte.
 */
export function splitJsonMembers(bytes: Buffer): ReadonlyMap<string, Buffer> {
  const members = new Map<string, Buffer>();
  let at = 1;
  while (bytes[at] === jsonByteCodes.quote) {
    const endOfKey = findJsonStringEnd(bytes, at) + 1;
    const name = JSON.parse(bytes.toString("utf8", at, endOfKey)) as string;
    const end = endOfWrittenValue(bytes, endOfKey + 1);
    members.set(name, bytes.subarray(endOfKey + 1, end));
    at = end + 1;
  }
  return members;
}

/** Returns the end of a value in an object: the place of the comma or bracket behind it. */
function endOfWrittenValue(bytes: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    const code = bytes[at];
    if (code === jsonByteCodes.quote) at = findJsonStringEnd(bytes, at);
    else if (code === jsonByteCodes.openBrace || code === jsonByteCodes.openBracket) depth += 1;
    else if (depth === 0 && (code === jsonByteCodes.comma || code === jsonByteCodes.closeBrace))
      return at;
    else if (code === jsonByteCodes.closeBrace || code === jsonByteCodes.closeBracket) depth -= 1;
  }
  return bytes.length;
}

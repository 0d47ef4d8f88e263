const space = 0x20;
const colon = 0x3a;

/**
 * Where the value of an event-stream line begins when its field is `name`, one
 * space after the colon skipped; -1 for another field. Names are ASCII.
 */
export function findSseFieldValueStart(
  bytes: Buffer,
  start: number,
  end: number,
  name: string,
): number {
  const after = start + name.length;
  if (after >= end || bytes[after] !== colon) return -1;
  for (let index = 0; index < name.length; index++) {
    if (bytes[start + index] !== name.charCodeAt(index)) return -1;
  }
  return bytes[after + 1] === space ? after + 2 : after + 1;
}

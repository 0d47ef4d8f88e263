import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/**
 * Returns the bytes of memory that a reader holds once it has taken these bytes in one-byte
 * pieces. `push` is the reader's, and keeps the reader alive.
 */
export function memoryHeldBy(push: (piece: Buffer) => unknown, bytes: Buffer): number {
  const before = usedMemory();
  for (let at = 0; at < bytes.length; at++) push(bytes.subarray(at, at + 1));
  const held = usedMemory() - before;
  push(Buffer.alloc(0));
  return held;
}

function usedMemory(): number {
  // The first run may leave buffers whose owners it has just freed.
  collectGarbage();
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

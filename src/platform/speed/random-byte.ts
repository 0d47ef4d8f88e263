import { randomFillSync } from "node:crypto";

const drawn = new Uint8Array(16_384);
let used = drawn.length;

/** A byte of the system's generator of random numbers. Speed: docs/performance.md, `random-byte`. */
export function randomByte(): number {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  return drawn[used++] ?? 0;
}

import { setTimeout as delay } from "node:timers/promises";

/** Waits for something that no event announces; fails after `milliseconds`. */
export async function waitUntil(
  isSo: () => boolean | Promise<boolean>,
  milliseconds = 10_000,
): Promise<void> {
  const deadline = Date.now() + milliseconds;
  while (!(await isSo())) {
    if (Date.now() > deadline)
      throw new Error(`Not so after ${milliseconds} ms: ${isSo.toString()}`);
    await delay(10);
  }
}

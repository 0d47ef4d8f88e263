import { expect } from "vitest";

/** Below it the machine, not the code, says how long a piece of work takes. */
const noiseMs = 300;

/**
 * Asserts that work on four times the input takes about four times as long: at most six
 * times, where work that compares each with each takes sixteen times. `prepare` makes the
 * input of a size and returns the work. It counts the processor's time of this thread, so
 * that a busy machine changes little.
 */
export function expectLinear(size: number, prepare: (size: number) => () => unknown): void {
  const small = millisecondsOf(prepare(size));
  const large = millisecondsOf(prepare(4 * size));
  expect(large, `${size} took ${small} ms, ${4 * size} took`).toBeLessThan(6 * small + noiseMs);
}

function millisecondsOf(work: () => unknown): number {
  const start = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(start);
  return Math.round((user + system) / 1000);
}

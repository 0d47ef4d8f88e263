import type { EventLoopTurnstile } from "./event-loop-turnstile.ts";

/** CPU time, in milliseconds, that steps take in one turn of the event loop. */
const maxTurnMs = 10;

/**
 * Runs work that pauses after each of its steps, and returns its result. All work of one turnstile
 * takes turns of the event loop one by one, whatever number of requests has arrived together.
 * Time counts as CPU time of this thread, so that a busy machine changes nothing.
 */
export async function runInTurns<Result>(
  steps: Iterator<unknown, Result>,
  turnstile: EventLoopTurnstile,
  turnMs: number = maxTurnMs,
): Promise<Result> {
  for (;;) {
    await turnstile.pass();
    const startMs = readThreadCpuMs();
    do {
      const step = steps.next();
      if (step.done === true) return step.value;
    } while (readThreadCpuMs() - startMs < turnMs);
  }
}

/** CPU time of this thread; of all threads where Node counts only those. */
function readThreadCpuMs(): number {
  const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage();
  return (user + system) / 1000;
}

import type { Answer, FuzzCase } from "../fuzz-case.ts";
import { sendCase } from "./send-case.ts";
import type { ServerUnderTest } from "./server-under-test.ts";
import type { FuzzUpstream } from "./fake-upstream.ts";

/** Cases that were sent until all were, or until the server had ended. */
export interface BatchOutcome {
  /** By the place of its case; undefined where the server ended before it was over. */
  readonly answers: ReadonlyMap<number, Answer>;
  /** Cases that may have ended the server: those under way, and the last that were over. */
  readonly suspects: readonly number[];
  /** The first case that has not been sent. */
  readonly next: number;
}

/** Sends cases from `first` on, several at once. */
export async function runBatch(
  target: ServerUnderTest,
  double: FuzzUpstream,
  cases: readonly FuzzCase[],
  first: number,
  concurrency: number,
): Promise<BatchOutcome> {
  const answers = new Map<number, Answer>();
  const latest: number[] = [];
  let next = first;
  const work = async (): Promise<void> => {
    for (let index = next++; !target.hasExited; index = next++) {
      const given = cases[index];
      if (given === undefined) return;
      latest.push(index);
      const answer = await sendCase(target, double, given);
      // What came when the server had ended is no answer to judge.
      if (!target.hasExited) answers.set(index, answer);
    }
    next -= 1;
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return { answers, suspects: latest.slice(-3 * concurrency), next: Math.min(next, cases.length) };
}

import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Combination, Finding, Outcome } from "./find-growth.ts";
import type { GrowthOptions } from "./growth-options.ts";
import { planCombinations } from "./plan.ts";

/** Result of a run. */
export interface GrowthReport {
  readonly measured: number;
  /** Documents that a codec refused: their growth is unknown. */
  readonly refused: number;
  /** Slowest first. */
  readonly findings: readonly Finding[];
}

/** Combinations between two lines of progress. */
const progressStep = 500;

const workerUrl = new URL("./processes/growth-worker.ts", import.meta.url);

/** Measures all combinations of a plan in threads of its own. */
export async function runGrowth(
  options: GrowthOptions,
  say: (text: string) => void,
): Promise<GrowthReport> {
  const combinations = planCombinations(options);
  const queue = combinations.values();
  const outcomes: Outcome[] = [];
  const onOutcome = (outcome: Outcome): void => {
    outcomes.push(outcome);
    if (typeof outcome === "object") say(`found: ${formatFinding(outcome)}`);
    if (outcomes.length % progressStep === 0) say(`${outcomes.length}/${combinations.length}`);
  };
  const workers = Array.from({ length: options.workers }, async () =>
    measureInThread(queue, options.size, onOutcome),
  );
  await Promise.all(workers);
  const findings = outcomes.filter((outcome) => typeof outcome === "object");
  return {
    measured: combinations.length,
    refused: outcomes.filter((outcome) => outcome === "refused").length,
    findings: findings.toSorted((one, other) => other.largeMs - one.largeMs),
  };
}

/** Returns a finding in a line. */
export function formatFinding(finding: Finding): string {
  const { kind, dimensions, path, smallMs, largeMs, error } = finding;
  const times = `${smallMs} ms, ${largeMs} ms`;
  return `${error ?? times} | ${kind} to ${path} | ${dimensions.join(" + ")}`;
}

async function measureInThread(
  queue: Iterator<Combination>,
  size: number,
  onOutcome: (outcome: Outcome) => void,
): Promise<void> {
  const worker = new Worker(workerUrl);
  for (let next = queue.next(); next.done !== true; next = queue.next()) {
    const answered = once(worker, "message");
    worker.postMessage({ combination: next.value, size });
    // Each combination has the thread alone.
    const [outcome] = (await answered) as [Outcome];
    onOutcome(outcome);
  }
  await worker.terminate();
}

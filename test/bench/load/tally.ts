import { cpuTime } from "../running/cpu-time.ts";
import { quantile } from "../statistics.ts";
import type { LoadResult } from "./load-job.ts";

/** Gathers what a job measures and turns it into the job's result. */
export class Tally {
  readonly #serverPids: readonly number[];
  readonly #latencies: number[] = [];
  #startedAt = 0;
  #cpuAtStart: number | undefined;
  #elapsedMs = 0;
  #cpuMicroseconds: number | undefined;
  #calls = 0;
  #errors = 0;
  #firstError: string | undefined;

  constructor(serverPids: readonly number[]) {
    this.#serverPids = serverPids;
  }

  /** Starts the measured part. */
  start(): void {
    this.#startedAt = performance.now();
    this.#cpuAtStart = cpuTime(this.#serverPids);
  }

  /** Ends the measured part. */
  stop(): void {
    this.#elapsedMs = performance.now() - this.#startedAt;
    const now = cpuTime(this.#serverPids);
    const then = this.#cpuAtStart;
    this.#cpuMicroseconds = now === undefined || then === undefined ? undefined : now - then;
  }

  /** Notes that a call is made. */
  called(): void {
    this.#calls++;
  }

  /** Notes the latency of one call that went well. */
  answered(milliseconds: number): void {
    this.#latencies.push(milliseconds);
  }

  /** Notes `count` calls or tokens that did not come. */
  failed(error: unknown, count = 1): void {
    this.#errors += count;
    this.#firstError ??= error instanceof Error ? error.message : String(error);
  }

  /** The figures so far; without more, one unit per answered call. */
  result(more: Partial<LoadResult> = {}): LoadResult {
    return {
      units: this.#latencies.length,
      calls: this.#calls,
      errors: this.#errors,
      firstError: this.#firstError,
      elapsedMs: this.#elapsedMs,
      cpuMicroseconds: this.#cpuMicroseconds,
      p50Ms: quantile(this.#latencies, 0.5),
      p99Ms: quantile(this.#latencies, 0.99),
      stalls: 0,
      abortedAtMs: undefined,
      ...more,
    };
  }
}

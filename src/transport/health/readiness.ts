import type { MaybePromise } from "../../platform/maybe-promise.ts";
import { withStallTolerantTimeoutFallback } from "../../platform/free-time.ts";

/** Whether one thing that requests need is there. A rejection counts as false. */
export type ReadinessCheck = () => MaybePromise<boolean>;

/** The answer of `/readyz`. */
export interface ReadinessReport {
  readonly status: "ok" | "unavailable";
  readonly checks: Readonly<Record<string, "ok" | "failed">>;
}

/** How long a check may take before it counts as failed. */
const checkMs = 2000;

/**
 * Makes what tells whether the server can take requests. Askers at the same time
 * share one round of checks, so that nobody can load the database by asking.
 */
export function createReadinessChecker(
  checks: Readonly<Record<string, ReadinessCheck>>,
): () => Promise<ReadinessReport> {
  let round: Promise<ReadinessReport> | undefined;
  return () => {
    round ??= runChecks(checks).finally(() => (round = undefined));
    return round;
  };
}

async function runChecks(
  checks: Readonly<Record<string, ReadinessCheck>>,
): Promise<ReadinessReport> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await holds(check)] as const),
  );
  const isReady = results.every(([, ok]) => ok);
  return {
    status: isReady ? "ok" : "unavailable",
    checks: Object.fromEntries(results.map(([name, ok]) => [name, ok ? "ok" : "failed"] as const)),
  };
}

async function holds(check: ReadinessCheck): Promise<boolean> {
  try {
    return await withStallTolerantTimeoutFallback(check(), checkMs, false);
  } catch {
    return false;
  }
}

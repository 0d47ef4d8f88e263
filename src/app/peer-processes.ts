import type { PrimaryProcessRateLimitSender } from "../platform/rate-limit/primary-buckets.ts";
import type { MetricsRegistrySnapshot } from "../platform/telemetry/metrics-snapshot.ts";

/** What a process that is one of several has of the others, through their primary. */
export interface PrimaryProcessClient {
  /** Takes requests out of the buckets that all share. Rejects when they are out of reach. */
  readonly takeTokens: PrimaryProcessRateLimitSender;
  /** What each process has counted, this one included. Rejects when the primary does not answer. */
  readonly collectMetrics: () => Promise<readonly MetricsRegistrySnapshot[]>;
}

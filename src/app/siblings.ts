import type { AskTakes } from "../platform/rate-limit/primary-buckets.ts";
import type { Counted } from "../platform/telemetry/counted.ts";

/** What a process that is one of several has of the others, through their primary. */
export interface Siblings {
  /** Takes requests out of the buckets that all share. Rejects when they are out of reach. */
  readonly askTakes: AskTakes;
  /** What each process has counted, this one included. Rejects when the primary does not answer. */
  readonly gatherMetrics: () => Promise<readonly Counted[]>;
}

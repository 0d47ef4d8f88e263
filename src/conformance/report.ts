import type { ConformanceDialectName } from "./case-request.ts";
import type { ConformanceCaseOutcome } from "./outcome.ts";

/** What became of one case in one dialect. */
export interface ConformanceCaseReport {
  readonly dialect: ConformanceDialectName;
  readonly name: string;
  /** What must hold, one sentence. */
  readonly holds: string;
  readonly outcome: ConformanceCaseOutcome;
  /** Why it failed or was skipped; absent when it passed. */
  readonly reason?: string;
  readonly milliseconds: number;
}

/** The score of a gateway, as `--json` prints it. */
export interface ConformanceReport {
  readonly base_url: string;
  readonly model: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly cases: readonly ConformanceCaseReport[];
}

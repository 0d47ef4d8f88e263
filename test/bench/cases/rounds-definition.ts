import type { LoadResult } from "../load/load-job.ts";
import type { Call } from "../variants/call.ts";
import type { CaseContext } from "./case.ts";
import type { Target } from "./participants.ts";

/** A case that compares the variants turn by turn. */
export interface RoundsDefinition {
  readonly name: string;
  readonly title: string;
  /** What is aimed at, for the note below the title. */
  readonly goal: string;
  /** What CPU time is divided by; undefined: CPU time is not shown. */
  readonly unit: "request" | "token" | undefined;
  /** What p50 and p99 are of. */
  readonly latency: "answer" | "first token" | "upstream closed";
  /**
   * Whether the upstream is called without a server too, to tell what a server
   * adds to the latency; `ratio`: and to compare that with what nginx adds.
   */
  readonly added: "not taken" | "difference" | "ratio";
  /**
   * How much goes before and is not counted: one turn, or as many as give every
   * server `warmUpCalls`, those of earlier cases included or not. Compilers take that long.
   */
  readonly warmUp: "one turn" | "by calls" | "by own calls";
  /** Whether CPU time of the servers' databases is taken as well. */
  readonly database?: boolean;
  readonly call: (context: CaseContext) => Call;
  readonly measure: (target: Target, context: CaseContext) => Promise<LoadResult>;
}

/** What a turn measured. */
export interface TurnResult extends LoadResult {
  /** User and system time of the server's database in the whole turn. */
  readonly databaseMicroseconds: number | undefined;
}

/** The results of one variant, one per round. */
export interface VariantRounds {
  readonly name: string;
  readonly description: string;
  readonly results: readonly TurnResult[];
  /** Results that count for errors only. */
  readonly warmUps: readonly TurnResult[];
}

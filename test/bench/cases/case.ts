import type { LoadGenerator } from "../load/load-generator.ts";
import type { Table } from "../report/table.ts";
import type { VariantContext, RunningVariant, Variant } from "../variants/variant.ts";

/** How much a run measures. */
export interface Settings {
  /** Turns of every variant in each case. */
  readonly rounds: number;
  /** Requests of a turn in the cases that count requests. */
  readonly requests: number;
  /** Calls that every server has had before a case of whole answers counts. */
  readonly warmUpCalls: number;
  /** Streams held side by side. */
  readonly streams: number;
  /** Length of a turn in the cases that take a time: streams, constant arrival. */
  readonly windowMs: number;
  /** After this time a case begins no further round, three being done. */
  readonly caseLimitMs: number;
}

/** A variant that takes part in the run. */
export interface Contender {
  readonly variant: Variant;
  readonly running: RunningVariant;
  /** Resident memory when it had become ready, in MiB. */
  readonly idleMib: number | undefined;
  /** Calls that it has been sent so far. */
  calls: number;
}

/** What a case works with. */
export interface CaseContext {
  readonly ground: VariantContext;
  readonly load: LoadGenerator;
  readonly contenders: readonly Contender[];
  readonly settings: Settings;
  /** Makes an empty directory that goes when the run ends. */
  newDirectory(name: string): string;
}

/** What a case found out. */
export interface CaseOutcome {
  /** Calls that failed; anything but 0 fails the run. */
  readonly errors: number;
  /** The first failure of each variant that had one, in words. */
  readonly failures: readonly string[];
  /** Everything measured, for the JSON report. */
  readonly figures: object;
  /** What of it is shown. */
  readonly table: Table;
}

/** One question that the benchmark answers about every variant. */
export interface Case {
  /** As `--case` takes it. */
  readonly name: string;
  run(context: CaseContext): Promise<CaseOutcome>;
}

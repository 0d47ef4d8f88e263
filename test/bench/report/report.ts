import { writeFileSync } from "node:fs";
import type { CaseOutcome, Settings } from "../cases/case.ts";
import type { Cores } from "../running/cores.ts";
import type { Machine } from "./machine.ts";

/** Everything a run found out, as it is written. */
export interface Report {
  readonly startedAt: string;
  readonly seconds: number;
  readonly machine: Machine;
  /** null: not pinned. */
  readonly pinned: Cores | null;
  readonly upstream: string;
  readonly settings: Settings;
  /** Variants that could not run here, with the reason. */
  readonly absent: Readonly<Record<string, string>>;
  readonly errors: number;
  readonly cases: Readonly<Record<string, object>>;
}

/** Writes the report as JSON. */
export function writeReport(path: string, report: Report): void {
  writeFileSync(path, `${JSON.stringify(report, undefined, 2)}\n`);
}

/** Failed calls of all cases. */
export function errorsOf(outcomes: Iterable<CaseOutcome>): number {
  let errors = 0;
  for (const outcome of outcomes) errors += outcome.errors;
  return errors;
}

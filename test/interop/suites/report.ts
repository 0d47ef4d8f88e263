import { markdown } from "../../bench/report/table.ts";
import { dialects, type Dialect } from "../strict-environment.ts";
import type { SuiteResult } from "./suite.ts";
import { knownFailureReason } from "./known-failures.ts";
import { scoreOf, type SuiteOutcome } from "./run-suites.ts";

/** A case that does not hold. */
export interface Failure {
  readonly judge: string;
  readonly name: string;
  readonly over: readonly Dialect[];
  /** The suite's own words. */
  readonly reason: string;
  /** Undefined: nobody has explained it. */
  readonly why: string | undefined;
}

/** The table of scores, and a line for each case that does not hold. */
export function reportOf(outcomes: readonly SuiteOutcome[], date: string): string {
  const surfaces = [...dialects, "other"] as const;
  const rows = outcomes.flatMap(({ judge, version = "not installed", verdicts }) =>
    surfaces
      .map((surface) => [
        judge.name,
        version,
        surface,
        ...dialects.map((over) => {
          const given = verdicts.get(over) ?? [];
          return scoreOf(
            typeof given === "string" ? given : given.filter((one) => one.surface === surface),
          );
        }),
      ])
      .filter((row) => row.slice(3).some((cell) => cell !== "")),
  );
  const table = markdown({
    title: "Scores",
    note: `By \`npm run judges\` on ${date}: cases that held, of those that were judged.`,
    columns: ["Judge", "Version", "Asks in", ...dialects.map((over) => `over ${over}`)],
    rows,
  });
  return [
    table,
    "",
    "### Cases that do not hold",
    "",
    ...absences(outcomes),
    ...lines(outcomes),
  ].join("\n");
}

/** Every case that does not hold, once for all upstreams over which it does not. */
export function failuresOf(outcomes: readonly SuiteOutcome[]): readonly Failure[] {
  const failures = new Map<string, Failure>();
  for (const { judge, verdicts } of outcomes) {
    for (const [over, given] of verdicts) {
      for (const verdict of typeof given === "string" ? [brokenOff(given)] : given) {
        if (verdict.outcome !== "failed") continue;
        const why = knownFailureReason(judge.name, verdict, over);
        const key = `${judge.name} ${verdict.name} ${why ?? verdict.reason}`;
        const before = failures.get(key)?.over ?? [];
        const { name, reason } = verdict;
        // A case may be asked in each dialect.
        const lanes = [...new Set([...before, over])];
        failures.set(key, { judge: judge.name, name, reason, why, over: lanes });
      }
    }
  }
  return [...failures.values()];
}

/** The suite itself in the place of its cases. */
function brokenOff(reason: string): SuiteResult {
  return { surface: "other", name: "the suite", outcome: "failed", reason };
}

function absences(outcomes: readonly SuiteOutcome[]): readonly string[] {
  return outcomes.flatMap(({ judge, absent }) =>
    absent === undefined ? [] : [`- ${judge.name} was not judged by: ${absent}.`],
  );
}

/** Cases of one judge with one cause are one line. */
function lines(outcomes: readonly SuiteOutcome[]): readonly string[] {
  const groups = new Map<string, Failure[]>();
  for (const failure of failuresOf(outcomes)) {
    const cause = failure.why ?? `not explained: ${failure.reason.slice(0, 200)}`;
    const key = `${failure.judge} over ${failure.over.join(", ")}\0${cause}`;
    groups.set(key, [...(groups.get(key) ?? []), failure]);
  }
  return [...groups].map(([key, failures]) => {
    const [where, cause] = key.split("\0");
    return `- ${where}: ${failures.map(({ name }) => `\`${name}\``).join(", ")}: ${cause}.`;
  });
}

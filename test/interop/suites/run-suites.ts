import { startDeadline, tooLate } from "../deadline.ts";
import {
  openStrictEnvironment,
  dialects,
  type Dialect,
  type StrictEnvironment,
} from "../strict-environment.ts";
import { Workspace } from "../workspace.ts";
import type { PublicSuite, PreparedPublicSuite, SuiteResult } from "./suite.ts";

/** What a judge said. */
export interface SuiteOutcome {
  readonly judge: PublicSuite;
  /** Undefined: it could not be installed, or there was no time left. */
  readonly version: string | undefined;
  /** Why not. */
  readonly absent: string | undefined;
  /** By the kind of upstream; a text is why the suite itself broke off. */
  readonly verdicts: ReadonlyMap<Dialect, readonly SuiteResult[] | string>;
}

/** Installs and runs the judges in front of a gateway of their own, and leaves nothing behind. */
export async function runSuites(
  judges: readonly PublicSuite[],
  say: (text: string) => void,
): Promise<readonly SuiteOutcome[]> {
  await using workshop = await Workspace.open("judges");
  const ground = await openStrictEnvironment();
  const outcomes: SuiteOutcome[] = [];
  const isTooLate = startDeadline();
  try {
    for (const judge of judges) {
      const outcome = isTooLate()
        ? absentOutcome(judge, tooLate)
        : await runJudge(judge, workshop, ground);
      say(progressOf(outcome));
      outcomes.push(outcome);
    }
    return outcomes;
  } finally {
    await ground.close();
  }
}

async function runJudge(
  judge: PublicSuite,
  workshop: Workspace,
  ground: StrictEnvironment,
): Promise<SuiteOutcome> {
  const ready = await judge.prepare(workshop).catch(messageOf);
  if (typeof ready === "string") return absentOutcome(judge, ready);
  const verdicts = await judgeLanes(judge, ready, workshop, ground);
  return { judge, version: ready.version, absent: undefined, verdicts };
}

function absentOutcome(judge: PublicSuite, absent: string): SuiteOutcome {
  return { judge, version: undefined, absent, verdicts: new Map() };
}

async function judgeLanes(
  { name }: PublicSuite,
  ready: PreparedPublicSuite,
  workshop: Workspace,
  { url, lanes }: StrictEnvironment,
): Promise<ReadonlyMap<Dialect, readonly SuiteResult[] | string>> {
  const verdicts = new Map<Dialect, readonly SuiteResult[] | string>();
  for (const lane of lanes) {
    const home = await workshop.newFolder(
      "homes",
      `${name.replaceAll(/\W+/g, "-")}-${lane.dialect}`,
    );
    verdicts.set(lane.dialect, await ready.run({ url, lane, home }).catch(messageOf));
  }
  return verdicts;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function progressOf({ judge, version, absent, verdicts }: SuiteOutcome): string {
  if (absent !== undefined) return `${judge.name}: left out: ${absent}`;
  const scores = dialects.map((over) => `${over} ${scoreOf(verdicts.get(over) ?? [])}`);
  return `${judge.name} (${version}): ${scores.join(", ")}`;
}

/** Cases that held, of those that were judged. */
export function scoreOf(verdicts: readonly SuiteResult[] | string): string {
  if (typeof verdicts === "string") return "broke off";
  const judged = verdicts.filter(({ outcome }) => outcome !== "skipped");
  const held = judged.filter(({ outcome }) => outcome === "held");
  return judged.length === 0 ? "" : `${held.length} of ${judged.length}`;
}

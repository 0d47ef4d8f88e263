import { startDeadline, tooLate } from "../deadline.ts";
import { openStrictGround, dialects, type Dialect, type StrictGround } from "../strict-ground.ts";
import { Workshop } from "../workshop.ts";
import type { Judge, ReadyJudge, Verdict } from "./judge.ts";

/** What a judge said. */
export interface JudgeOutcome {
  readonly judge: Judge;
  /** Undefined: it could not be installed, or there was no time left. */
  readonly version: string | undefined;
  /** Why not. */
  readonly absent: string | undefined;
  /** By the kind of upstream; a text is why the suite itself broke off. */
  readonly verdicts: ReadonlyMap<Dialect, readonly Verdict[] | string>;
}

/** Installs and runs the judges in front of a gateway of their own, and leaves nothing behind. */
export async function runJudges(
  judges: readonly Judge[],
  say: (text: string) => void,
): Promise<readonly JudgeOutcome[]> {
  await using workshop = await Workshop.open("judges");
  const ground = await openStrictGround();
  const outcomes: JudgeOutcome[] = [];
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
  judge: Judge,
  workshop: Workshop,
  ground: StrictGround,
): Promise<JudgeOutcome> {
  const ready = await judge.prepare(workshop).catch(messageOf);
  if (typeof ready === "string") return absentOutcome(judge, ready);
  const verdicts = await judgeLanes(judge, ready, workshop, ground);
  return { judge, version: ready.version, absent: undefined, verdicts };
}

function absentOutcome(judge: Judge, absent: string): JudgeOutcome {
  return { judge, version: undefined, absent, verdicts: new Map() };
}

async function judgeLanes(
  { name }: Judge,
  ready: ReadyJudge,
  workshop: Workshop,
  { url, lanes }: StrictGround,
): Promise<ReadonlyMap<Dialect, readonly Verdict[] | string>> {
  const verdicts = new Map<Dialect, readonly Verdict[] | string>();
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

function progressOf({ judge, version, absent, verdicts }: JudgeOutcome): string {
  if (absent !== undefined) return `${judge.name}: left out: ${absent}`;
  const scores = dialects.map((over) => `${over} ${scoreOf(verdicts.get(over) ?? [])}`);
  return `${judge.name} (${version}): ${scores.join(", ")}`;
}

/** Cases that held, of those that were judged. */
export function scoreOf(verdicts: readonly Verdict[] | string): string {
  if (typeof verdicts === "string") return "broke off";
  const judged = verdicts.filter(({ outcome }) => outcome !== "skipped");
  const held = judged.filter(({ outcome }) => outcome === "held");
  return judged.length === 0 ? "" : `${held.length} of ${judged.length}`;
}

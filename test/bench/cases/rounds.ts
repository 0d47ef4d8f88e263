import { cpuTime } from "../running/cpu-time.ts";
import type { Case, CaseContext, Settings } from "./case.ts";
import { participantsOf, type Participant } from "./participants.ts";
import type { RoundsDefinition, TurnResult, VariantRounds } from "./rounds-definition.ts";
import { roundsOutcome } from "./rounds-outcome.ts";

/**
 * A case in rounds: in each round every variant has one turn of the same length,
 * and each round begins with the next variant, so that a machine that is slow for
 * a while is slow for all. On a machine too slow for all rounds some are left out.
 */
export function roundsCase(definition: RoundsDefinition): Case {
  return {
    name: definition.name,
    async run(context) {
      const withDirect = definition.added !== "not taken";
      const participants = participantsOf(definition.call(context), context, withDirect);
      const play = (round: number) => playRound(definition, context, participants, round);
      const earlier = definition.warmUp === "by own calls" ? fewestCalls(context) : 0;
      const latest = performance.now() + context.settings.caseLimitMs;
      const warmUps = [await play(0)];
      while (isCold(definition, context, earlier) && performance.now() < latest) {
        warmUps.push(await play(warmUps.length));
      }
      const rounds: RoundResults[] = [];
      while (isRoundDue(rounds.length, context.settings, latest)) {
        rounds.push(await play(rounds.length));
      }
      return roundsOutcome(definition, byVariant(participants, warmUps, rounds));
    },
  };
}

function isCold({ warmUp }: RoundsDefinition, context: CaseContext, earlier: number): boolean {
  return warmUp !== "one turn" && fewestCalls(context) - earlier < context.settings.warmUpCalls;
}

function fewestCalls({ contenders }: CaseContext): number {
  return Math.min(...contenders.map(({ calls }) => calls));
}

const fewestRounds = 3;

function isRoundDue(done: number, settings: Settings, latest: number): boolean {
  if (done >= settings.rounds) return false;
  return done < fewestRounds || performance.now() < latest;
}

/** Of one turn of every participant, in the participants' order. */
type RoundResults = readonly TurnResult[];

/** Gives each participant its turn; who begins changes from round to round. */
async function playRound(
  definition: RoundsDefinition,
  context: CaseContext,
  participants: readonly Participant[],
  round: number,
): Promise<RoundResults> {
  const results = new Map<Participant, TurnResult>();
  const first = round % participants.length;
  for (const participant of [...participants.slice(first), ...participants.slice(0, first)]) {
    const result = await playTurn(definition, context, participant);
    participant.counted(result.calls);
    results.set(participant, result);
  }
  return participants.flatMap((participant) => results.get(participant) ?? []);
}

async function playTurn(
  { database = false, measure }: RoundsDefinition,
  context: CaseContext,
  { running, target }: Participant,
): Promise<TurnResult> {
  const pids = database ? (running.databasePids?.() ?? []) : [];
  const before = pids.map((pid) => cpuTime([pid]));
  const result = await measure(target, context);
  const after = pids.map((pid) => cpuTime([pid]));
  return { ...result, databaseMicroseconds: increase(before, after) };
}

/** Of processes that ran all the while; undefined: there is none. */
function increase(
  before: readonly (number | undefined)[],
  after: readonly (number | undefined)[],
): number | undefined {
  const times = before.flatMap((start, index) => {
    const end = after[index];
    return start === undefined || end === undefined ? [] : end - start;
  });
  return times.length === 0 ? undefined : times.reduce((sum, time) => sum + time, 0);
}

function byVariant(
  participants: readonly Participant[],
  warmUps: readonly RoundResults[],
  rounds: readonly RoundResults[],
): VariantRounds[] {
  return participants.map(({ running, description }, position) => ({
    name: running.name,
    description,
    results: rounds.flatMap((round) => round[position] ?? []),
    warmUps: warmUps.flatMap((round) => round[position] ?? []),
  }));
}

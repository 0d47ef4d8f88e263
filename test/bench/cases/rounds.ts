import type { LoadResult } from "../load/load-job.ts";
import type { Call } from "../variants/call.ts";
import type { Case, CaseContext, Settings } from "./case.ts";
import { participantsOf, type Participant, type Target } from "./participants.ts";
import { roundsOutcome } from "./rounds-outcome.ts";

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
  /** Turns of each variant that go before and are not counted: time for compilers and pools. */
  readonly warmUpTurns: number;
  readonly call: (context: CaseContext) => Call;
  readonly measure: (target: Target, context: CaseContext) => Promise<LoadResult>;
}

/** The results of one variant, one per round. */
export interface VariantRounds {
  readonly name: string;
  readonly description: string;
  readonly results: readonly LoadResult[];
  /** Results that count for errors only. */
  readonly warmUps: readonly LoadResult[];
}

/**
 * A case in rounds: in each round every variant has one turn of the same length,
 * and each round begins with the next variant, so that a machine that is slow for
 * a while is slow for all. On a machine too slow for all rounds some are left out.
 */
export function roundsCase(definition: RoundsDefinition): Case {
  return {
    name: definition.name,
    async run(context) {
      const participants = participantsOf(
        definition.call(context),
        context,
        definition.added !== "not taken",
      );
      const turn = async ({ target, counted }: Participant) => {
        const result = await definition.measure(target, context);
        counted(result.calls);
        return result;
      };
      const warmUps: LoadResult[][] = [];
      for (let round = 0; round < definition.warmUpTurns; round++) {
        warmUps.push(await inTurn(participants, round, turn));
      }
      const rounds: LoadResult[][] = [];
      const latest = performance.now() + context.settings.caseLimitMs;
      while (isRoundDue(rounds.length, context.settings, latest)) {
        rounds.push(await inTurn(participants, rounds.length, turn));
      }
      return roundsOutcome(definition, byVariant(participants, warmUps, rounds));
    },
  };
}

const fewestRounds = 3;

function isRoundDue(done: number, settings: Settings, latest: number): boolean {
  if (done >= settings.rounds) return false;
  return done < fewestRounds || performance.now() < latest;
}

/** Gives each participant its turn, beginning with the `first`; results in the participants' order. */
async function inTurn(
  participants: readonly Participant[],
  first: number,
  turn: (participant: Participant) => Promise<LoadResult>,
): Promise<LoadResult[]> {
  const results = new Map<Participant, LoadResult>();
  const start = first % participants.length;
  for (const participant of [...participants.slice(start), ...participants.slice(0, start)]) {
    results.set(participant, await turn(participant));
  }
  return participants.flatMap((participant) => results.get(participant) ?? []);
}

function byVariant(
  participants: readonly Participant[],
  warmUps: readonly TurnResults[],
  rounds: readonly TurnResults[],
): VariantRounds[] {
  return participants.map(({ running, description }, position) => ({
    name: running.name,
    description,
    results: rounds.flatMap((round) => round[position] ?? []),
    warmUps: warmUps.flatMap((round) => round[position] ?? []),
  }));
}

/** Of one turn of every participant, in the participants' order. */
type TurnResults = readonly LoadResult[];

import { randomUUID } from "node:crypto";
import type { DurableTurns, ThreadTurns, TurnCaller } from "../../kernel/durable-turn.ts";
import type { AgentTurnDependencies } from "../../turn/run-turn.ts";
import { TurnNews } from "../../turn/turn-news.ts";
import { TurnQueue } from "../../turn/turn-queue.ts";
import { TurnRunner } from "../../turn/turn-runner.ts";
import { TurnStore } from "../../turn/turn-store.ts";
import { TurnsOfThreads } from "../../turn/turns-of-threads.ts";
import { Turns } from "../../turn/turns.ts";
import type { Foundation } from "../foundation.ts";
import type { AccountWiring } from "./wire-accounts.ts";

export interface TurnWiring {
  readonly durable: DurableTurns;
  readonly ofThreads: ThreadTurns;
  /**
   * Who makes the model calls of turns, and what those of agents need beside; without it,
   * as in a process of the tools alone, none are run here.
   */
  run(caller: TurnCaller, agent: AgentTurnDependencies): void;
  /** Starts to run turns. */
  start(): void;
  /** Ends the streams of those who follow: the drain deadline has passed. */
  endStreams(): void;
  /** Waits for turns that run here, for `CAUSEWAY_DRAIN_SECONDS` at most; others take the rest. */
  close(): Promise<void>;
}

/** Builds turns: their store, their queue, and who runs them. */
export function wireTurns(
  { configuration, storage, feed, clock, metrics, log }: Foundation,
  { background }: AccountWiring,
): TurnWiring {
  const { database, box } = storage;
  const fork = () => database.fork();
  const { responsesDays: days, threadsDays } = configuration.retention;
  const store = new TurnStore({ fork, box, clock, days, threadsDays });
  const queue = new TurnQueue({ runPrepared: database.runPrepared, feed });
  const news = new TurnNews();
  let runner: TurnRunner | undefined;
  const durable = new Turns({ store, queue, feed, news, worker: () => runner });
  const shared = { store, queue, feed, news, fork, background, log, clock, counts: metrics.turns };
  return {
    durable,
    ofThreads: new TurnsOfThreads({ fork, store }),
    run: (caller, agent) => {
      runner = new TurnRunner({ ...shared, caller, agent, workerId: randomUUID() });
    },
    start: () => runner?.start(),
    endStreams: () => durable.endStreams(),
    close: async () => {
      durable.endStreams();
      await runner?.close(AbortSignal.timeout(configuration.drainSeconds * 1000));
    },
  };
}

import { randomUUID } from "node:crypto";
import type {
  DurableTurnService,
  ThreadTurnStore,
  TurnModelCaller,
} from "../../domain/durable-turn.ts";
import { openMemoryReservationScope, noopMemoryReserver } from "../../platform/hold-memory.ts";
import type { AgentTurnDependencies } from "../../turn/turn-run.ts";
import { InProcessTurnNotifier } from "../../turn/turn-notifier.ts";
import { TurnQueue } from "../../turn/turn-queue.ts";
import { TurnQueueWorker } from "../../turn/turn-runner.ts";
import { TurnStore } from "../../turn/turn-store.ts";
import { DatabaseThreadTurnStore } from "../../turn/thread-turns.ts";
import { DatabaseTurnService } from "../../turn/turns.ts";
import type { SharedResources } from "../foundation.ts";
import type { AccountModule } from "./wire-accounts.ts";

export interface TurnModule {
  readonly durable: DurableTurnService;
  readonly threadTurns: ThreadTurnStore;
  /** Whether the account has a turn of this id that waits or runs. */
  readonly isRunning: (accountId: string, id: string) => Promise<boolean>;
  /**
   * Who makes the model calls of turns, and what those of agents need beside; without it,
   * as in a process of the tools alone, none are run here.
   */
  run(caller: TurnModelCaller, agent: AgentTurnDependencies): void;
  /** Starts to run turns. */
  start(): void;
  /** Ends the streams of those who follow: the drain deadline has passed. */
  endStreams(): void;
  /** Waits for turns that run here, for `CAUSEWAY_DRAIN_SECONDS` at most; others take the rest. */
  close(): Promise<void>;
}

/** Running turns may take the memory of request bodies divided by this, in addition to it. */
const memoryShare = 2;

const bytesPerMib = 1024 * 1024;

/** Builds turns: their store, their queue, and who runs them. */
export function createTurnModule(
  { configuration, storage, feed, clock, metrics, log }: SharedResources,
  { background }: AccountModule,
): TurnModule {
  const { database, box } = storage;
  const fork = () => database.fork();
  const { responsesDays: days, threadsDays } = configuration.retention;
  const store = new TurnStore({ fork, box, clock, days, threadsDays });
  const queue = new TurnQueue({ runPrepared: database.runPrepared, feed });
  const news = new InProcessTurnNotifier();
  let runner: TurnQueueWorker | undefined;
  let modelCaller: TurnModelCaller | undefined;
  const durable = new DatabaseTurnService({
    store,
    queue,
    feed,
    notifier: news,
    worker: () => runner,
    openMemory: (accountId) =>
      modelCaller?.openMemory(accountId) ?? openMemoryReservationScope(noopMemoryReserver),
  });
  const shared = {
    store,
    queue,
    feed,
    notifier: news,
    fork,
    background,
    log,
    clock,
    counts: metrics.turns,
    memoryBytes: (configuration.limits.heldBodiesMib / memoryShare) * bytesPerMib,
  };
  return {
    durable,
    threadTurns: new DatabaseThreadTurnStore({ fork, box }),
    isRunning: (accountId, id) => store.isRunning(accountId, id),
    run: (caller, agent) => {
      modelCaller = caller;
      runner = new TurnQueueWorker({ ...shared, caller, agent, workerId: randomUUID() });
    },
    start: () => runner?.start(),
    endStreams: () => durable.endStreams(),
    close: async () => {
      durable.endStreams();
      await runner?.close(AbortSignal.timeout(configuration.drainSeconds * 1000));
    },
  };
}

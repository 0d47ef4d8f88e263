import type { Logger } from "pino";
import type { BackgroundTasks } from "../platform/background-tasks.ts";
import type { ChangeFeed } from "../platform/database/change-feed.ts";
import { databaseUnavailable } from "../platform/database/database-unavailable.ts";
import { TurnRun, type TurnRunDependencies } from "./run-turn.ts";
import { leaseSeconds, type ClaimedTurn } from "./turn-queue.ts";
import { endTopic, type StoredTurn } from "./turn-store.ts";
import type { TurnWorker } from "./turns.ts";

export interface TurnRunnerDependencies extends TurnRunDependencies {
  /** Names this process among those that run turns. */
  readonly workerId: string;
  readonly feed: Pick<ChangeFeed, "on" | "trusted">;
  readonly background: Pick<BackgroundTasks, "run">;
  readonly log: Logger;
}

/** Turns that one process runs at a time; the others wait for any process that has room. */
const turnsAtMost = 256;

/** How often those who hold turns say that they live, and look whether they still may. */
const renewMs = (leaseSeconds * 1000) / 3;

/** How long an idle process sleeps that hears of new turns, and one that does not. */
const idleMs = 60_000;
const deafMs = 2000;

/** After a look that failed. */
const retryMs = 1000;

/**
 * Takes turns from the queue and runs them. It sleeps until a turn waits or the lease of
 * another process may have run out, so that an idle installation asks nearly nothing.
 */
export class TurnRunner implements TurnWorker {
  readonly #dependencies: TurnRunnerDependencies;
  readonly #runs = new Map<string, TurnRun>();
  readonly #ending = new Set<Promise<void>>();
  #sleep: NodeJS.Timeout | undefined;
  #renewing: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #isAskedAgain = false;
  #isClosed = false;

  constructor(dependencies: TurnRunnerDependencies) {
    this.#dependencies = dependencies;
  }

  start(): void {
    const { queue, feed } = this.#dependencies;
    queue.onWaiting(() => this.wake());
    feed.on(endTopic, ({ id }) => this.#find(id)?.cancel());
    this.#renewing = setInterval(() => this.#inBackground(() => this.#renew()), renewMs).unref();
    this.wake();
  }

  /** Whether it takes another turn at once. */
  get hasRoom(): boolean {
    return this.#renewing !== undefined && !this.#isClosed && this.#runs.size < turnsAtMost;
  }

  get workerId(): string {
    return this.#dependencies.workerId;
  }

  /** Runs a turn that was taken for this worker; `turn`: it, where this process has just stored it. */
  begin(claim: ClaimedTurn, turn: StoredTurn | undefined): void {
    const { counts, log } = this.#dependencies;
    const run = new TurnRun(this.#dependencies, claim, turn);
    this.#runs.set(claim.runId, run);
    counts.inFlight(1);
    const ending = run
      .run()
      .catch((error: unknown) => log.error({ err: error, turn: claim.turnId }, "a turn failed"))
      .finally(() => this.#ended(claim, ending));
    this.#ending.add(ending);
  }

  runs(turnId: string): boolean {
    return this.#find(turnId) !== undefined;
  }

  /** Looks for turns now. */
  wake(): void {
    if (this.#isClosed) return;
    this.#isAskedAgain = true;
    this.#looking ??= this.#lookUntilAsleep().finally(() => (this.#looking = undefined));
  }

  /** Takes nothing more, and resolves when what runs has ended, or `deadline` is aborted: others take the rest. */
  async close(deadline: AbortSignal): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#sleep);
    const dropAll = (): void => {
      for (const run of this.#runs.values()) run.lose();
    };
    if (deadline.aborted) dropAll();
    else deadline.addEventListener("abort", dropAll);
    await this.#looking;
    await Promise.allSettled(this.#ending);
    clearInterval(this.#renewing);
  }

  #find(turnId: string): TurnRun | undefined {
    return [...this.#runs.values()].find(({ claim }) => claim.turnId === turnId);
  }

  /** Nobody has told of a turn: it is looked first whether there is one. */
  #wakeByItself(): void {
    this.#inBackground(async () => {
      const milliseconds = await this.#dependencies.queue.nextExpiry().catch(() => retryMs);
      if (milliseconds === 0) this.wake();
      else this.#sleepUntil(milliseconds);
    });
  }

  async #lookUntilAsleep(): Promise<void> {
    while (this.#isAskedAgain && !this.#isClosed) {
      this.#isAskedAgain = false;
      await this.#look().catch((error: unknown) => this.#sleepFor(this.#afterFailure(error)));
    }
  }

  async #look(): Promise<void> {
    const { queue, workerId } = this.#dependencies;
    const room = turnsAtMost - this.#runs.size;
    const claims = room > 0 ? await queue.claim(workerId, room) : [];
    for (const claim of claims) this.begin(claim, undefined);
    if (claims.length === room) return;
    this.#sleepUntil(await queue.nextExpiry());
  }

  #afterFailure(error: unknown): number {
    const { log } = this.#dependencies;
    if (databaseUnavailable(error) === undefined) log.error({ err: error }, "unforeseen error");
    return retryMs;
  }

  /** `milliseconds`: when a lease may run out; undefined: nobody has one. */
  #sleepUntil(milliseconds: number | undefined): void {
    const most = this.#dependencies.feed.trusted ? idleMs : deafMs;
    this.#sleepFor(Math.min(milliseconds ?? most, most));
  }

  #sleepFor(milliseconds: number): void {
    clearTimeout(this.#sleep);
    if (this.#isClosed) return;
    this.#sleep = setTimeout(() => this.#wakeByItself(), milliseconds + 1).unref();
  }

  #ended({ runId }: ClaimedTurn, ending: Promise<void>): void {
    const wasFull = this.#runs.size >= turnsAtMost;
    this.#runs.delete(runId);
    this.#ending.delete(ending);
    this.#dependencies.counts.inFlight(-1);
    if (wasFull) this.wake();
  }

  async #renew(): Promise<void> {
    if (this.#runs.size === 0) return;
    const { queue, store } = this.#dependencies;
    const { lost } = await queue.renew([...this.#runs.keys()]);
    for (const runId of lost) this.#runs.get(runId)?.lose();
    const turnIds = [...this.#runs.values()].map(({ claim }) => claim.turnId);
    for (const id of await store.toEnd(turnIds)) this.#find(id)?.cancel();
    await Promise.all([...this.#runs.values()].map((run) => run.judge()));
  }

  #inBackground(task: () => Promise<void>): void {
    void this.#dependencies.background.run("looking after turns", task);
  }
}

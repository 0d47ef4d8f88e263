import type { Logger } from "pino";
import type { BackgroundTasks } from "../platform/background-tasks.ts";
import type { ChangeFeed } from "../platform/database/change-feed.ts";
import { databaseUnavailable } from "../platform/database/database-unavailable.ts";
import { TurnRun, type TurnRunDependencies } from "./run-turn.ts";
import type { ClaimedTurn, QueueOutlook } from "./turn-queue.ts";
import { leaseSeconds } from "./turn-statements.ts";
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
const placesAtMost = 256;

const leaseMs = leaseSeconds * 1000;

/** How often those who hold turns say that they live, and look whether they still may. */
const renewMs = leaseMs / 3;

/** How long an idle process sleeps that hears of new turns, and one that does not. */
const idleMs = 60_000;
const deafMs = 2000;

/** After a look that failed, and while turns wait for which there is no place. */
const retryMs = 1000;

/** Another process may be taking what could be taken. */
const pauseMs = 50;

/**
 * Takes turns from the queue and runs them. It sleeps until a turn waits or the lease of
 * another process may have run out, so that an idle installation asks nearly nothing: as
 * long as nobody tells of a turn there is no lease.
 */
export class TurnRunner implements TurnWorker {
  readonly #dependencies: TurnRunnerDependencies;
  readonly #runs = new Map<string, TurnRun>();
  readonly #ending = new Set<Promise<void>>();
  #sleep: NodeJS.Timeout | undefined;
  /** `performance.now()` at which it wakes, and when it last heard of a turn anywhere. */
  #wakesAt = Number.NEGATIVE_INFINITY;
  #heardAt = Number.NEGATIVE_INFINITY;
  /** `performance.now()` at which its leases were renewed for the last time, or it held none. */
  #renewedAt = Number.NEGATIVE_INFINITY;
  /** Turns waited when it last looked, for which there was no place here. */
  #hasHeldBack = false;
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
    queue.onTurn(() => this.#hearOfTurn());
    feed.on(endTopic, ({ id }) => this.#find(id)?.cancel());
    this.#renewing = setInterval(() => this.#inBackground(() => this.#renew()), renewMs).unref();
    this.wake();
  }

  get freePlaces(): number {
    if (this.#renewing === undefined || this.#isClosed || this.#isStale) return 0;
    return this.#freePlaces;
  }

  get workerId(): string {
    return this.#dependencies.workerId;
  }

  /** Runs a turn that was taken for this worker; `turn`: it, where this process has just stored it. */
  begin(claim: ClaimedTurn, turn: StoredTurn | undefined): void {
    const { counts, log } = this.#dependencies;
    const run = new TurnRun(this.#dependencies, claim, turn);
    if (this.#runs.size === 0) this.#renewedAt = performance.now();
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

  get #freePlaces(): number {
    return Math.max(0, placesAtMost - this.#runs.size);
  }

  #find(turnId: string): TurnRun | undefined {
    return [...this.#runs.values()].find(({ claim }) => claim.turnId === turnId);
  }

  /** Nobody has told of a turn: it is looked first whether there is one. */
  #wakeByItself(): void {
    this.#inBackground(async () => {
      const outlook = await this.#dependencies.queue.outlook().catch(() => undefined);
      if (outlook === undefined) this.#sleepFor(retryMs);
      else if (outlook.leaseMs === 0 || outlook.hasWaiting) this.wake();
      else this.#sleepUntil(outlook);
    });
  }

  async #lookUntilAsleep(): Promise<void> {
    while (this.#isAskedAgain && !this.#isClosed) {
      this.#isAskedAgain = false;
      await this.#look().catch((error: unknown) => this.#sleepFor(this.#afterFailure(error)));
    }
  }

  /** Its own leases may have run out: it must not take from itself what it runs. */
  get #isStale(): boolean {
    return this.#runs.size > 0 && performance.now() - this.#renewedAt > leaseMs;
  }

  async #look(): Promise<void> {
    const { queue, workerId } = this.#dependencies;
    if (this.#isStale) await this.#renewLeases();
    const freePlaces = this.#freePlaces;
    const claims = freePlaces > 0 ? await queue.claim({ workerId, freePlaces }) : [];
    for (const claim of claims) this.begin(claim, undefined);
    if (claims.length === freePlaces) return;
    const outlook = await queue.outlook();
    this.#hasHeldBack = outlook.hasWaiting;
    this.#sleepUntil(outlook);
  }

  #afterFailure(error: unknown): number {
    const { log } = this.#dependencies;
    if (databaseUnavailable(error) === undefined) log.error({ err: error }, "unforeseen error");
    return retryMs;
  }

  #sleepUntil({ leaseMs: lease = idleMs, hasWaiting }: QueueOutlook): void {
    const most = this.#dependencies.feed.trusted ? idleMs : deafMs;
    this.#sleepFor(Math.max(pauseMs, Math.min(lease, most, hasWaiting ? retryMs : idleMs)));
  }

  /** A lease may run that this process has not seen: the turn that it heard of has one at most so long. */
  #hearOfTurn(): void {
    this.#heardAt = performance.now();
    if (this.#wakesAt > this.#heardAt + leaseMs) this.#sleepFor(leaseMs);
  }

  #sleepFor(milliseconds: number): void {
    clearTimeout(this.#sleep);
    if (this.#isClosed) return;
    const now = performance.now();
    // What it heard while it looked, the look may not have seen.
    const sinceHeard = this.#heardAt + leaseMs - now;
    const rest = sinceHeard > 0 ? Math.min(milliseconds, sinceHeard) : milliseconds;
    this.#wakesAt = now + rest;
    this.#sleep = setTimeout(() => this.#wakeByItself(), rest + 1).unref();
  }

  #ended({ runId }: ClaimedTurn, ending: Promise<void>): void {
    const wasFull = this.#runs.size >= placesAtMost;
    this.#runs.delete(runId);
    this.#ending.delete(ending);
    this.#dependencies.counts.inFlight(-1);
    if (wasFull || this.#hasHeldBack) this.wake();
  }

  async #renew(): Promise<void> {
    if (this.#runs.size === 0) return;
    const { store } = this.#dependencies;
    await this.#renewLeases();
    const turnIds = [...this.#runs.values()].map(({ claim }) => claim.turnId);
    for (const id of await store.toEnd(turnIds)) this.#find(id)?.cancel();
    await Promise.all([...this.#runs.values()].map((run) => run.judge()));
  }

  async #renewLeases(): Promise<void> {
    const startedAt = performance.now();
    const { lost } = await this.#dependencies.queue.renew([...this.#runs.keys()]);
    for (const runId of lost) this.#runs.get(runId)?.lose();
    this.#renewedAt = startedAt;
  }

  #inBackground(task: () => Promise<void>): void {
    void this.#dependencies.background.run("looking after turns", task);
  }
}

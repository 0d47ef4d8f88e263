import type { Logger } from "pino";
import type { BackgroundTasks } from "../platform/background-tasks.ts";
import type { DatabaseChangeFeed } from "../platform/database/change-feed.ts";
import { toDatabaseUnavailableError } from "../platform/database/database-unavailable.ts";
import type { MemoryReleaser } from "../platform/hold-memory.ts";
import { TurnRun, type TurnRunDependencies } from "./turn-run.ts";
import { TurnMemoryBudget } from "./turn-memory.ts";
import type { ClaimedTurn, TurnQueuePollHint, TurnWorkerCapacity } from "./turn-queue.ts";
import { TurnLeaseLostError } from "./turn-lease-lost-error.ts";
import { turnLeaseSeconds } from "./turn-statements.ts";
import { turnCancellationTopic, type StoredTurn } from "./turn-store.ts";
import type { TurnWorkerReservation, TurnWorker } from "./turns.ts";

export interface TurnQueueWorkerDependencies extends TurnRunDependencies {
  /** Names this process among those that run turns. */
  readonly workerId: string;
  /** Sealed contents that it runs at a time, but for one turn that is larger. */
  readonly memoryBytes: number;
  readonly feed: Pick<DatabaseChangeFeed, "on" | "trusted">;
  readonly background: Pick<BackgroundTasks, "run">;
  readonly log: Logger;
}

/** Turns that one process runs at a time; the others wait for any process that has room. */
const placesAtMost = 256;

/**
 * Turns that are read from the database at a time, with their threads. Each may have megabytes
 * to open and parse, and the leases of all that were taken run meanwhile.
 */
const restoresAtMost = 4;

const leaseMs = turnLeaseSeconds * 1000;

/** How often those who hold turns say that they live, and look whether they still may. */
const renewMs = leaseMs / 3;

/** A process whose renewals take longer than this has too little of its processor, or of its database's. */
const lateMs = 1.5 * renewMs;

/** How long an idle process sleeps that hears of new turns, and one that does not. */
const idleMs = 60_000;
const feedDownPollMs = 2000;

/** After a look that failed, and while turns wait for which there is no place. */
const retryMs = 1000;

/** Another process may be taking what could be taken; twice as long after each look that found nothing, up to `retryMs`. */
const pauseMs = 50;

/**
 * Takes turns from the queue and runs them. It sleeps until a turn waits or the lease of
 * another process may have run out, so that an idle installation asks nearly nothing: as
 * long as nobody tells of a turn there is no lease.
 */
export class TurnQueueWorker implements TurnWorker {
  readonly #dependencies: TurnQueueWorkerDependencies;
  readonly #runs = new Map<string, TurnRun>();
  readonly #ending = new Set<Promise<void>>();
  readonly #memory: TurnMemoryBudget;
  /** Places for turns that are being stored: until each is, it may take one. */
  #reservedPlaces = 0;
  /** Runs that are being read from the database. */
  readonly #restoring = new Set<string>();
  #sleep: NodeJS.Timeout | undefined;
  /** `performance.now()` at which it wakes, and when it last heard of a turn anywhere. */
  #wakesAt = Number.NEGATIVE_INFINITY;
  #heardAt = Number.NEGATIVE_INFINITY;
  /** `performance.now()` at which its leases were renewed for the last time, or it held none. */
  #renewedAt = Number.NEGATIVE_INFINITY;
  /** Its last renewal was late: it reads one turn at a time, for its leases are near their end. */
  #isLate = false;
  /** Turns may have waited when it last looked, for which there was no room here. */
  #hasHeldBack = false;
  /** Looks since it last took a turn. */
  #vainLooks = 0;
  #renewing: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #isPollRequested = false;
  #isClosed = false;

  constructor(dependencies: TurnQueueWorkerDependencies) {
    this.#dependencies = dependencies;
    this.#memory = new TurnMemoryBudget(dependencies.memoryBytes);
  }

  start(): void {
    const { queue, feed } = this.#dependencies;
    queue.onWaiting(() => this.wake());
    queue.onTurn(() => this.#hearOfTurn());
    feed.on(turnCancellationTopic, ({ id }) => this.#find(id)?.cancel());
    this.#renewing = setInterval(() => this.#inBackground(() => this.#renew()), renewMs).unref();
    this.wake();
  }

  reserve(bytes: number): TurnWorkerReservation | undefined {
    if (this.#renewing === undefined || this.#isClosed || this.#isStale) return undefined;
    const freePlaces = this.#freePlaces;
    const memory = freePlaces > 0 ? this.#memory.reserve(bytes) : undefined;
    // The turn is stored all the same, and waits.
    if (memory === undefined) {
      this.#hasHeldBack = true;
      return undefined;
    }
    const worker = { workerId: this.#dependencies.workerId, freePlaces, memory };
    this.#reservedPlaces += 1;
    const release = (): void => {
      this.#reservedPlaces -= 1;
      this.#memory.release(bytes);
    };
    return { worker, release };
  }

  /** Runs a turn that was taken for this worker; `turn`: it, where this process has just stored it. */
  begin(claim: ClaimedTurn, turn: StoredTurn | undefined): void {
    const { counts, log } = this.#dependencies;
    const run = new TurnRun(this.#dependencies, claim, turn);
    if (this.#runs.size === 0) this.#startLeases();
    this.#runs.set(claim.runId, run);
    this.#memory.add(claim.bytes);
    if (turn === undefined) this.#restoring.add(claim.runId);
    counts.inFlight(1);
    const held: MemoryReleaser[] = [];
    const hold = (bytes: number): MemoryReleaser => {
      const giveBack = this.#memory.hold(bytes);
      held.push(giveBack);
      return giveBack;
    };
    const ending = run
      .run({ onLoaded: () => this.#loaded(claim), hold })
      .catch((error: unknown) => log.error({ err: error, turn: claim.turnId }, "a turn failed"))
      .finally(() => {
        for (const giveBack of held) giveBack();
        this.#ended(claim, ending);
      });
    this.#ending.add(ending);
  }

  runs(turnId: string): boolean {
    return this.#find(turnId) !== undefined;
  }

  /** Looks for turns now. */
  wake(): void {
    if (this.#isClosed) return;
    this.#isPollRequested = true;
    this.#looking ??= this.#pollUntilIdle().finally(() => (this.#looking = undefined));
  }

  /** Takes nothing more, and resolves when what runs has ended, or `deadline` is aborted: others take the rest. */
  async close(deadline: AbortSignal): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#sleep);
    const dropAll = (): void => {
      for (const run of this.#runs.values()) run.loseLease();
    };
    if (deadline.aborted) dropAll();
    else deadline.addEventListener("abort", dropAll);
    await this.#looking;
    await Promise.allSettled(this.#ending);
    clearInterval(this.#renewing);
  }

  get #freePlaces(): number {
    return Math.max(0, placesAtMost - this.#runs.size - this.#reservedPlaces);
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

  async #pollUntilIdle(): Promise<void> {
    while (this.#isPollRequested && !this.#isClosed) {
      this.#isPollRequested = false;
      await this.#poll().catch((error: unknown) => this.#sleepFor(this.#afterFailure(error)));
    }
  }

  /**
   * Its own leases may have run out, or soon will: it must not take over a turn that it runs.
   * A lease begins in the database before this process learns of it, so a third is deducted.
   */
  get #isStale(): boolean {
    return this.#runs.size > 0 && performance.now() - this.#renewedAt > leaseMs - renewMs;
  }

  async #poll(): Promise<void> {
    const { queue, workerId } = this.#dependencies;
    if (this.#isStale) await this.#renewLeases();
    const freePlaces = this.#freePlaces;
    const restores = this.#isLate ? 1 : restoresAtMost;
    const most = Math.min(freePlaces, restores - this.#restoring.size);
    const memory = this.#memory.free;
    const claims = most > 0 ? await this.#claim({ workerId, freePlaces, memory }, most) : [];
    this.#vainLooks = claims.length > 0 ? 0 : this.#vainLooks + 1;
    // It looks again when one of its turns has been restored, or has ended.
    this.#hasHeldBack = claims.length >= most;
    if (this.#hasHeldBack) return;
    const outlook = await queue.outlook();
    this.#hasHeldBack = outlook.hasWaiting || outlook.leaseMs === 0;
    this.#sleepUntil(outlook);
  }

  /**
   * Begins what it claims. Until it has, the offered memory is taken, as by a turn: a turn that is
   * being stored meanwhile gets none of it, and is not the first of an idle worker.
   */
  async #claim(
    worker: Required<TurnWorkerCapacity>,
    most: number,
  ): Promise<readonly ClaimedTurn[]> {
    const { bytes } = worker.memory;
    this.#memory.add(bytes);
    try {
      const claims = await this.#dependencies.queue.claim(worker, most);
      for (const claim of claims) this.begin(claim, undefined);
      return claims;
    } finally {
      this.#memory.release(bytes);
    }
  }

  #afterFailure(error: unknown): number {
    const { log } = this.#dependencies;
    if (toDatabaseUnavailableError(error) === undefined)
      log.error({ err: error }, "unforeseen error");
    return retryMs;
  }

  #sleepUntil({ leaseMs: lease = idleMs, hasWaiting }: TurnQueuePollHint): void {
    const most = this.#dependencies.feed.trusted ? idleMs : feedDownPollMs;
    const pause =
      lease > 0 ? pauseMs : Math.min(retryMs, pauseMs * 2 ** Math.max(0, this.#vainLooks - 1));
    this.#sleepFor(Math.max(pause, Math.min(lease, most, hasWaiting ? retryMs : idleMs)));
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

  #loaded({ runId }: ClaimedTurn): void {
    if (this.#restoring.delete(runId) && this.#hasHeldBack) this.wake();
  }

  #ended({ runId, bytes }: ClaimedTurn, ending: Promise<void>): void {
    this.#restoring.delete(runId);
    this.#runs.delete(runId);
    this.#memory.release(bytes);
    this.#ending.delete(ending);
    this.#dependencies.counts.inFlight(-1);
    if (this.#hasHeldBack) this.wake();
  }

  async #renew(): Promise<void> {
    if (this.#runs.size === 0) return;
    const { store } = this.#dependencies;
    await this.#renewLeases();
    const turnIds = [...this.#runs.values()].map(({ claim }) => claim.turnId);
    for (const id of await store.turnsToCancel(turnIds)) this.#find(id)?.cancel();
    await Promise.all([...this.#runs.values()].map((run) => run.checkStillAllowed()));
  }

  #startLeases(): void {
    this.#renewedAt = performance.now();
    this.#isLate = false;
  }

  async #renewLeases(): Promise<void> {
    const startedAt = performance.now();
    const runs = [...this.#runs.values()];
    const large = runs.filter((run) => run.isLarge).map(({ claim }) => claim.runId);
    const { lost } = await this.#dependencies.queue.renew([...this.#runs.keys()], large);
    for (const runId of lost) this.#runs.get(runId)?.loseLease(new TurnLeaseLostError(runId));
    this.#isLate = performance.now() - this.#renewedAt > lateMs;
    this.#renewedAt = startedAt;
  }

  #inBackground(task: () => Promise<void>): void {
    void this.#dependencies.background.run("looking after turns", task);
  }
}

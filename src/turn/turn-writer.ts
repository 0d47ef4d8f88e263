import { setTimeout as delay } from "node:timers/promises";
import { toDatabaseUnavailableError } from "../platform/database/database-unavailable.ts";
import { largeEventWriteLimiter } from "./large-work.ts";
import type { InProcessTurnNotifier } from "./turn-notifier.ts";
import type { ClaimedTurn, TurnQueue } from "./turn-queue.ts";
import type { TurnFrameBatch, TurnStore } from "./turn-store.ts";

/** Frames wait at most this long before they are kept, and can be sent. */
const batchMs = 250;

/** In the name of every event that brings a piece of an answer. */
const deltaMark = ".delta";

/** More than this does not wait. */
const maxCharacters = 64 * 1024;

/** A batch ends with the frame that passes this many characters. */
const maxBatchCharacters = 1024 * 1024;

/** How long a write waits for a database that is away before it is tried again. */
const retryMs = 500;

/** How long a turn is leased. */
export interface TurnLeaseDuration {
  readonly seconds: number;
}

export interface TurnEventWriterDependencies {
  readonly queue: Pick<TurnQueue, "append">;
  readonly store: Pick<TurnStore, "sealFrames">;
  readonly notifier: InProcessTurnNotifier;
}

/**
 * Keeps the events of a turn that runs, in batches: those up to the first word at once, later ones
 * at most a quarter of a second apart. Nobody is sent what is not kept. While the database is
 * away it waits; where something cannot be kept, nothing that comes later is.
 */
export class TurnEventWriter {
  readonly #dependencies: TurnEventWriterDependencies;
  readonly #claim: ClaimedTurn;
  readonly #lost: (error: unknown) => void;
  readonly #lease: TurnLeaseDuration;
  /** Number of the first frame that waits. */
  #first: number;
  #waiting: string[] = [];
  #characters = 0;
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Immediate | undefined;
  #writing: Promise<void> | undefined;
  /** Nobody has a word of the answer yet: what comes is kept at once. */
  #isSilent = true;
  #isStopped = false;
  /** Whoever ends the turn writes what is left. */
  #isTaken = false;

  /** `first`: number of the first frame that will come. `lost` hears once why nothing more is kept. */
  constructor(
    dependencies: TurnEventWriterDependencies,
    claim: ClaimedTurn,
    first: number,
    lost: (error: unknown) => void,
    lease: TurnLeaseDuration,
  ) {
    this.#dependencies = dependencies;
    this.#claim = claim;
    this.#first = first;
    this.#lost = lost;
    this.#lease = lease;
  }

  /** Takes frames; a promise where so many wait that no more should be made until it resolves. */
  push(frames: readonly string[]): Promise<void> | undefined {
    if (frames.length === 0 || this.#isStopped) return undefined;
    // There may be more frames than a call of a function takes arguments.
    for (const frame of frames) {
      this.#characters += frame.length;
      this.#waiting.push(frame);
    }
    if (this.#characters >= maxCharacters) return this.#writeSoon();
    // What comes with the first word is kept with it: that is one write less that it waits for.
    if (this.#isSilent) this.#soon ??= setImmediate(() => void this.#writeSoon());
    else this.#timer ??= setTimeout(() => void this.#writeSoon(), batchMs);
    this.#isSilent &&= !frames.some((frame) => frame.includes(deltaMark));
    return undefined;
  }

  /**
   * What waits and was not kept, with the frames that come behind it, for the transaction that ends
   * the turn; nothing is written any more.
   */
  async take(frames: readonly string[] = []): Promise<TurnFrameBatch> {
    this.#isTaken = true;
    this.#clearTimers();
    await this.#writing;
    return { first: this.#first, frames: [...this.#waiting, ...frames] };
  }

  /** What waits is kept by `keep`, with what else that writes; what comes meanwhile waits for it. */
  async flushWith(keep: (batch: TurnFrameBatch) => Promise<void>): Promise<void> {
    // Frames that arrived in the meantime may be being written by now.
    do await this.#writeLarge();
    while (this.#writing !== undefined && !this.#isStopped && !this.#isTaken);
    if (this.#isStopped || this.#isTaken) return;
    this.#clearTimers();
    const batch = this.#cut();
    const kept = keep(batch).then(() => this.#notify(batch));
    this.#writing = kept.catch(() => this.stop()).finally(() => (this.#writing = undefined));
    await kept;
  }

  /** Resolves when nothing is being written, and so little waits that it is one batch. */
  async #writeLarge(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
    if (this.#characters < maxCharacters || this.#isStopped || this.#isTaken) return;
    await this.#writeSoon();
    await this.#writeLarge();
  }

  stop(): void {
    this.#isStopped = true;
    this.#clearTimers();
  }

  /** One batch at a time; what comes meanwhile is in the next. */
  async #writeSoon(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
    this.#clearTimers();
    if (this.#waiting.length === 0 || this.#isStopped || this.#isTaken) return;
    this.#writing = this.#writeWaiting().finally(() => (this.#writing = undefined));
    await this.#writing;
  }

  /** Writes what waits now, in as many batches as it needs. */
  async #writeWaiting(): Promise<void> {
    const end = this.#first + this.#waiting.length;
    do await this.#write(this.#cut());
    while (this.#first < end && !this.#isStopped && !this.#isTaken);
  }

  #clearTimers(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#soon);
    this.#timer = undefined;
    this.#soon = undefined;
  }

  async #write(batch: TurnFrameBatch): Promise<void> {
    try {
      await largeEventWriteLimiter.run(charactersOf(batch), () => this.#append(batch));
      this.#notify(batch);
    } catch (error) {
      this.stop();
      this.#lost(error);
    }
  }

  async #append({ first, frames }: TurnFrameBatch): Promise<void> {
    const { queue, store } = this.#dependencies;
    const sealed = await store.sealFrames(this.#claim.turnId, first, frames);
    const last = first + frames.length - 1;
    const append = () => queue.append(this.#claim, first, last, sealed, this.#lease.seconds);
    await retryWhileDatabaseDown(append, this);
  }

  #notify(batch: TurnFrameBatch): void {
    if (batch.frames.length === 0) return;
    this.#dependencies.notifier.notify(this.#claim.turnId, { batches: [batch], hasEnded: false });
  }

  /** What waits, up to the size of a batch, which waits no more. */
  #cut(): TurnFrameBatch {
    const first = this.#first;
    let count = 0;
    for (let left = maxBatchCharacters; count < this.#waiting.length && left > 0; count++)
      left -= this.#waiting[count]?.length ?? 0;
    const frames = this.#waiting.splice(0, count);
    this.#characters -= charactersOf({ first, frames });
    this.#first += frames.length;
    return { first, frames };
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }
}

function charactersOf({ frames }: TurnFrameBatch): number {
  return frames.reduce((sum, frame) => sum + frame.length, 0);
}

/** Tries again while the database is away, unless the run has been given up. */
export async function retryWhileDatabaseDown<Result>(
  work: () => Promise<Result>,
  run: { readonly isStopped: boolean },
): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (toDatabaseUnavailableError(error) === undefined || run.isStopped) throw error;
      await delay(retryMs);
    }
  }
}

import { setTimeout as delay } from "node:timers/promises";
import type { TopicEmitter } from "../platform/topic-emitter.ts";
import type { InProcessTurnNotifier } from "./turn-notifier.ts";
import {
  getFrameBatchLastSequence,
  type TurnFrameBatch,
  type TurnFramePage,
  type TurnFrameSnapshot,
} from "./turn-store.ts";

/** More than these are not held for who reads slowly: the database has them. */
const maxBatches = 16;
const maxCharacters = 1024 * 1024;

/** Who tells of changes: of all turns, and of those that run in this process. */
export interface TurnChangeSources {
  readonly feed: TopicEmitter;
  readonly notifier: InProcessTurnNotifier;
}

/**
 * Changes of one turn, waited for one after the other. What is kept in this process comes with
 * its frames; of what happens elsewhere the change feed tells no more than that it did.
 */
export class TurnChangeStream {
  readonly #stops: readonly (() => void)[];
  readonly #signal: AbortSignal;
  #change = Promise.withResolvers<void>();
  #hasChanged = false;
  #batches: TurnFrameBatch[] = [];
  #characters = 0;
  #hasEnded = false;
  /** It runs here, as far as is known: the feed has nothing to add. */
  #isHere: boolean;

  constructor(
    { feed, notifier: news }: TurnChangeSources,
    id: string,
    isHere: boolean,
    signal: AbortSignal,
  ) {
    this.#signal = signal;
    this.#isHere = isHere;
    this.#stops = [
      feed.on(id, () => {
        if (!this.#isHere) this.#tell();
      }),
      news.subscribe(id, (told) => this.#onFrames(told)),
    ];
  }

  /** From now on changes count. Returns whether there was one before. */
  reset(): boolean {
    const hadChange = this.#hasChanged;
    this.#hasChanged = false;
    this.#change = Promise.withResolvers();
    return hadChange;
  }

  /** Resolves with the next change, after so long at the latest, and when nobody waits any more. */
  async next(atMostMs: number): Promise<void> {
    if (this.#batches.length > 0) return;
    const late = delay(atMostMs, true, { signal: this.#signal, ref: false }).catch(() => false);
    if ((await Promise.race([this.#change.promise, late])) === true) this.#isHere = false;
  }

  /** What was kept here behind the event `after`; undefined: nothing, or not all that was kept. */
  takeAfter(after: number): TurnFramePage | undefined {
    const batches = this.#batches.filter((batch) => getFrameBatchLastSequence(batch) > after);
    this.#batches = [];
    this.#characters = 0;
    const [first] = batches;
    if (first === undefined || first.first > after + 1) return undefined;
    return { batches, hasEnded: this.#hasEnded, hasMore: false };
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }

  #onFrames({ batches, hasEnded }: TurnFrameSnapshot): void {
    this.#isHere = true;
    this.#hasEnded ||= hasEnded;
    for (const batch of batches) this.#hold(batch);
    this.#tell();
  }

  #tell(): void {
    this.#hasChanged = true;
    this.#change.resolve();
  }

  /** With a gap in front of them the others are of no use, and the database is asked. */
  #hold(batch: TurnFrameBatch): void {
    this.#batches.push(batch);
    this.#characters += charactersOf(batch);
    while (this.#batches.length > maxBatches || this.#characters > maxCharacters) {
      const dropped = this.#batches.shift();
      if (dropped === undefined) return;
      this.#characters -= charactersOf(dropped);
    }
  }
}

function charactersOf({ frames }: TurnFrameBatch): number {
  return frames.reduce((sum, frame) => sum + frame.length, 0);
}

import { setTimeout as delay } from "node:timers/promises";
import type { TopicListeners } from "../platform/topic-listeners.ts";
import type { TurnNews } from "./turn-news.ts";
import type { FrameBatch, ToldFrames } from "./turn-store.ts";

/** More than these are not held for who reads slowly: the database has them. */
const batchesAtMost = 16;

/** Who tells of changes: of all turns, and of those that run in this process. */
export interface ChangeSources {
  readonly feed: TopicListeners;
  readonly news: TurnNews;
}

/**
 * Changes of one turn, waited for one after the other. What is kept in this process comes with
 * its frames; of what happens elsewhere the change feed tells no more than that it did.
 */
export class TurnChanges {
  readonly #stops: readonly (() => void)[];
  readonly #signal: AbortSignal;
  #change = Promise.withResolvers<void>();
  #batches: FrameBatch[] = [];
  #hasEnded = false;
  /** It runs here, as far as is known: the feed has nothing to add. */
  #isHere: boolean;

  constructor({ feed, news }: ChangeSources, id: string, isHere: boolean, signal: AbortSignal) {
    this.#signal = signal;
    this.#isHere = isHere;
    this.#stops = [
      feed.add(id, () => {
        if (!this.#isHere) this.#change.resolve();
      }),
      news.listen(id, (told) => this.#hear(told)),
    ];
  }

  /** From now on changes count. */
  reset(): void {
    this.#change = Promise.withResolvers();
  }

  /** Resolves with the next change, after so long at the latest, and when nobody waits any more. */
  async next(atMostMs: number): Promise<void> {
    if (this.#batches.length > 0) return;
    const late = delay(atMostMs, true, { signal: this.#signal, ref: false }).catch(() => false);
    if ((await Promise.race([this.#change.promise, late])) === true) this.#isHere = false;
  }

  /** What was kept here behind the event `after`; undefined: nothing, or not all that was kept. */
  takeBehind(after: number): ToldFrames | undefined {
    const batches = this.#batches.filter((batch) => lastOf(batch) > after);
    this.#batches = [];
    const [first] = batches;
    if (first === undefined || first.first > after + 1) return undefined;
    return { batches, hasEnded: this.#hasEnded };
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }

  #hear({ batches, hasEnded }: ToldFrames): void {
    this.#isHere = true;
    this.#hasEnded = hasEnded;
    // With a gap in front of them the others are of no use, and the database is asked.
    if (this.#batches.length >= batchesAtMost) this.#batches.shift();
    this.#batches.push(...batches);
    this.#change.resolve();
  }
}

function lastOf({ first, frames }: FrameBatch): number {
  return first + frames.length - 1;
}

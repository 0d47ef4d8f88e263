import type { TurnChangeStream } from "./turn-changes.ts";
import { InProcessTurnNotifier } from "./turn-notifier.ts";
import {
  getFrameBatchLastSequence,
  type TurnFramePage,
  type TurnFrameSnapshot,
} from "./turn-store.ts";

/** A page that was just read; the database may be down. */
export interface TurnFramePageResult extends TurnFramePage {
  /** The page is empty because the database is down: read again later. */
  readonly isAway?: true;
}

export interface SharedTurnEventReaderDependencies {
  /** The page of the turn's events behind one of them. */
  readonly load: (after: number) => Promise<TurnFramePageResult>;
  /** Changes of the turn, here and at other processes. */
  readonly changes: TurnChangeStream;
  /** Interval of reads without a notice of a change. */
  readonly pollMs: number;
}

interface SharedRead {
  readonly page: Promise<TurnFramePageResult>;
  /** For followers that ask while the page is being read, and may know of more than it has. */
  next: Promise<TurnFramePageResult> | undefined;
}

/**
 * Reads the events of one turn for all that follow it in this process: each change is looked up
 * once, and followers that read the same page share it.
 */
export class SharedTurnEventReader {
  /** Events for the followers, under `topic`. */
  readonly news = new InProcessTurnNotifier();
  readonly topic: string;
  readonly #dependencies: SharedTurnEventReaderDependencies;
  readonly #reads = new Map<number, SharedRead>();
  /** Last event that the followers were sent; before the first, the earliest that one of them has. */
  #head: number;
  #hasSent = false;
  #isClosed = false;

  /** `after`: the last event that the first follower has. */
  constructor(topic: string, after: number, dependencies: SharedTurnEventReaderDependencies) {
    this.topic = topic;
    this.#head = after;
    this.#dependencies = dependencies;
    dependencies.changes.reset();
    void this.#watch();
  }

  /** A follower joins that may have fewer events than earlier ones: those may have named an event far in the future. */
  includeEventsAfter(after: number): void {
    if (!this.#hasSent) this.#head = Math.min(this.#head, after);
  }

  /** The page behind an event, as it stands when this is called or later. */
  read(after: number): Promise<TurnFramePageResult> {
    const running = this.#reads.get(after);
    if (running === undefined) return this.#start(after);
    const start = (): Promise<TurnFramePageResult> => this.#start(after);
    running.next ??= running.page.then(start, start);
    return running.next;
  }

  close(): void {
    this.#isClosed = true;
    this.#dependencies.changes.close();
  }

  #start(after: number): Promise<TurnFramePageResult> {
    const page = this.#load(after);
    this.#reads.set(after, { page, next: undefined });
    return page;
  }

  async #load(after: number): Promise<TurnFramePageResult> {
    try {
      const page = await this.#dependencies.load(after);
      this.#tell(page);
      return page;
    } finally {
      // A follower that asks from now on starts another read.
      this.#reads.delete(after);
    }
  }

  /** Looks up each change once, until the turn has ended. */
  async #watch(): Promise<void> {
    const { changes, pollMs } = this.#dependencies;
    let hasMore = false;
    while (!this.#isClosed) {
      if (!hasMore) await changes.next(pollMs);
      if (this.#isClosed) return;
      changes.reset();
      const page = await this.#newPage().catch(() => undefined);
      hasMore = page?.hasMore === true;
      if (page === undefined || page.hasEnded) this.#wakeAll(page?.hasEnded === true);
      if (page?.hasEnded === true) return;
    }
  }

  async #newPage(): Promise<TurnFramePageResult> {
    const heard = this.#dependencies.changes.takeAfter(this.#head);
    if (heard === undefined) return this.read(this.#head);
    this.#tell(heard);
    return heard;
  }

  #tell({ batches, hasEnded }: TurnFrameSnapshot): void {
    const last = batches.at(-1);
    if (last === undefined || getFrameBatchLastSequence(last) <= this.#head) return;
    this.#head = getFrameBatchLastSequence(last);
    this.#hasSent = true;
    this.news.notify(this.topic, { batches, hasEnded });
  }

  /** Each follower looks for itself: the turn has ended, or could not be read. */
  #wakeAll(hasEnded: boolean): void {
    this.news.notify(this.topic, { batches: [], hasEnded });
  }
}

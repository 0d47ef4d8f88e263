import type { Clock } from "../clock.ts";
import {
  computeBucketState,
  RequestBuckets,
  type BucketState,
  type RequestRateLimit,
} from "./request-buckets.ts";
import type { RequestLimiter } from "./request-limiter.ts";
import type { MaybePromise } from "../maybe-promise.ts";

/** A take as it is sent to whoever keeps the buckets. */
export type BucketTakeMessage = readonly [id: string, requestsPerMinute: number, burst: number];

/** What came of it: whether there was a request to take, and milliseconds until the bucket is full. */
export type BucketStateMessage = readonly [allowed: boolean, fullInMs: number];

/** Sends takes; the readings come in the same order. Rejects when nobody answers in time. */
export type BucketTakeSender = (
  takes: readonly BucketTakeMessage[],
) => Promise<readonly BucketStateMessage[]>;

export interface PrimaryBucketClientDependencies {
  readonly ask: BucketTakeSender;
  readonly clock: Clock;
  /** A request was decided by this process's own bucket. */
  readonly onFallback: () => void;
  /** The buckets are out of reach, with why; or, without a reason, they are back. */
  readonly onChange: (failure: unknown) => void;
}

/** How often buckets that were out of reach are tried again. */
const retryMs = 1000;

interface WaitingTake {
  readonly id: string;
  readonly limit: RequestRateLimit;
  readonly resolve: (reading: BucketState) => void;
}

/**
 * Buckets that several processes of one machine share: one of them, the primary,
 * keeps them. What is taken in one turn of the event loop goes there as one message.
 * While it does not answer, this process decides by its own buckets, which are
 * as they were last heard of.
 */
export class PrimaryBucketClient implements RequestLimiter {
  readonly #dependencies: PrimaryBucketClientDependencies;
  readonly #own: RequestBuckets;
  #waiting: WaitingTake[] = [];
  #isOutOfReach = false;

  constructor(dependencies: PrimaryBucketClientDependencies) {
    this.#dependencies = dependencies;
    this.#own = new RequestBuckets(dependencies.clock);
  }

  take(id: string, limit: RequestRateLimit): MaybePromise<BucketState> {
    if (this.#isOutOfReach) return this.#useFallback(id, limit);
    return new Promise((resolve) => {
      // After what this turn has read from the sockets.
      if (this.#waiting.length === 0) setImmediate(() => void this.#send());
      this.#waiting.push({ id, limit, resolve });
    });
  }

  peek(id: string, limit: RequestRateLimit): BucketState {
    return this.#own.peek(id, limit);
  }

  async #send(): Promise<void> {
    const takes = this.#waiting;
    this.#waiting = [];
    try {
      const readings = await this.#dependencies.ask(takes.map(takeToSend));
      takes.forEach((take, index) => this.#settle(take, readings[index]));
    } catch (error) {
      this.#lose(error);
      for (const { id, limit, resolve } of takes) resolve(this.#useFallback(id, limit));
    }
  }

  #settle({ id, limit, resolve }: WaitingTake, answer: BucketStateMessage | undefined): void {
    if (answer === undefined) {
      resolve(this.#useFallback(id, limit));
      return;
    }
    const [allowed, fullInMs] = answer;
    const reading = computeBucketState(limit, fullInMs, allowed);
    this.#own.setFullAt(id, reading);
    resolve(reading);
  }

  #useFallback(id: string, limit: RequestRateLimit): BucketState {
    this.#dependencies.onFallback();
    return this.#own.take(id, limit);
  }

  #lose(error: unknown): void {
    if (this.#isOutOfReach) return;
    this.#isOutOfReach = true;
    this.#dependencies.onChange(error);
    this.#tryAgain();
  }

  #tryAgain(): void {
    setTimeout(() => {
      this.#dependencies.ask([]).then(
        () => this.#find(),
        () => this.#tryAgain(),
      );
    }, retryMs).unref();
  }

  #find(): void {
    this.#isOutOfReach = false;
    this.#dependencies.onChange(undefined);
  }
}

function takeToSend({ id, limit }: WaitingTake): BucketTakeMessage {
  return [id, limit.requestsPerMinute, limit.burst];
}

/** Answers what `BucketTakeSender` sent, in the process that keeps the buckets. */
export function handleRateLimitTakes(
  buckets: RequestBuckets,
  takes: readonly BucketTakeMessage[],
): BucketStateMessage[] {
  return takes.map(([id, requestsPerMinute, burst]) => {
    const { allowed, fullInMs } = buckets.take(id, { requestsPerMinute, burst });
    return [allowed, fullInMs];
  });
}

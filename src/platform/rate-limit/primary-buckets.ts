import type { Clock } from "../clock.ts";
import {
  computeRateLimitBucketState,
  RateLimitBuckets,
  type RateLimitBucketState,
  type RequestRateLimit,
} from "./request-buckets.ts";
import type { RequestRateLimiter } from "./request-limiter.ts";
import type { MaybePromise } from "../maybe-promise.ts";

/** A take as it is sent to whoever keeps the buckets. */
export type RateLimitTakeMessage = readonly [id: string, requestsPerMinute: number, burst: number];

/** What came of it: whether there was a request to take, and milliseconds until the bucket is full. */
export type RateLimitStateMessage = readonly [allowed: boolean, fullInMs: number];

/** Sends takes; the readings come in the same order. Rejects when nobody answers in time. */
export type PrimaryProcessRateLimitSender = (
  takes: readonly RateLimitTakeMessage[],
) => Promise<readonly RateLimitStateMessage[]>;

export interface PrimaryProcessRateLimiterDependencies {
  readonly ask: PrimaryProcessRateLimitSender;
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
  readonly resolve: (reading: RateLimitBucketState) => void;
}

/**
 * Buckets that several processes of one machine share: one of them, the primary,
 * keeps them. What is taken in one turn of the event loop goes there as one message.
 * While it does not answer, this process decides by its own buckets, which are
 * as they were last heard of.
 */
export class PrimaryProcessRateLimiter implements RequestRateLimiter {
  readonly #dependencies: PrimaryProcessRateLimiterDependencies;
  readonly #own: RateLimitBuckets;
  #waiting: WaitingTake[] = [];
  #isOutOfReach = false;

  constructor(dependencies: PrimaryProcessRateLimiterDependencies) {
    this.#dependencies = dependencies;
    this.#own = new RateLimitBuckets(dependencies.clock);
  }

  take(id: string, limit: RequestRateLimit): MaybePromise<RateLimitBucketState> {
    if (this.#isOutOfReach) return this.#useFallback(id, limit);
    return new Promise((resolve) => {
      // After what this turn has read from the sockets.
      if (this.#waiting.length === 0) setImmediate(() => void this.#send());
      this.#waiting.push({ id, limit, resolve });
    });
  }

  peek(id: string, limit: RequestRateLimit): RateLimitBucketState {
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

  #settle({ id, limit, resolve }: WaitingTake, answer: RateLimitStateMessage | undefined): void {
    if (answer === undefined) {
      resolve(this.#useFallback(id, limit));
      return;
    }
    const [allowed, fullInMs] = answer;
    const reading = computeRateLimitBucketState(limit, fullInMs, allowed);
    this.#own.setFullAt(id, reading);
    resolve(reading);
  }

  #useFallback(id: string, limit: RequestRateLimit): RateLimitBucketState {
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

function takeToSend({ id, limit }: WaitingTake): RateLimitTakeMessage {
  return [id, limit.requestsPerMinute, limit.burst];
}

/** Answers what `PrimaryProcessRateLimitSender` sent, in the process that keeps the buckets. */
export function handleRateLimitTakes(
  buckets: RateLimitBuckets,
  takes: readonly RateLimitTakeMessage[],
): RateLimitStateMessage[] {
  return takes.map(([id, requestsPerMinute, burst]) => {
    const { allowed, fullInMs } = buckets.take(id, { requestsPerMinute, burst });
    return [allowed, fullInMs];
  });
}

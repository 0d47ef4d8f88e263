import type { Logger } from "../../log.ts";
import type { RequestRateLimit } from "../request-buckets.ts";
import { withRedisReplyTimeout } from "./sliced-timeout.ts";
import { ReconnectingRedisConnection } from "./persistent-session.ts";
import type { RedisAddress } from "./redis-address.ts";
import { openRedisConnection, type RedisConnection } from "./redis-session.ts";
import {
  isUnknownRedisScriptError,
  parseRedisRateLimitReply,
  buildRateLimitEvalShaCommand,
  buildRateLimitEvalCommand,
  type RedisRateLimitReply,
} from "./take-script.ts";

/** Times in milliseconds. */
export interface RedisRateLimitTimeouts {
  /** How long a call waits for Redis. */
  readonly replyMs: number;
  /** How long connecting and signing in may take. */
  readonly openMs: number;
  /** Pauses between attempts to connect. */
  readonly minPauseMs: number;
  readonly maxPauseMs: number;
}

export interface RedisRateLimitBucketsDependencies {
  readonly address: RedisAddress;
  readonly log: Logger;
  /** Replaces them in tests. */
  readonly times?: Partial<RedisRateLimitTimeouts>;
}

const defaultTimes: RedisRateLimitTimeouts = {
  // Waited for once in an outage, by the calls that are under way as it begins; less would
  // take a server that is short of time for one that is away, and loosen the limits.
  replyMs: 250,
  openMs: 2000,
  minPauseMs: 250,
  maxPauseMs: 5000,
};

/** Other users of the same database have other prefixes. */
const keyPrefix = "causeway:requests:";

/** Taken from when a session is opened, to see that the server runs the script and takes writes. */
const trial = { key: `${keyPrefix}trial`, limit: { requestsPerMinute: 60_000, burst: 1000 } };

/**
 * Request buckets in one Redis or Valkey server, for all processes that use it. Who
 * asks hears in time or that the server is away. After an answer that does not come,
 * or is an error, the server counts as away and is not asked until a new connection
 * to it serves: so nothing piles up before a server that hangs.
 */
export class RedisRateLimitBuckets {
  readonly #times: RedisRateLimitTimeouts;
  readonly #session: ReconnectingRedisConnection;

  constructor({ address, log, times }: RedisRateLimitBucketsDependencies) {
    this.#times = { ...defaultTimes, ...times };
    const open = (onLost: (error: unknown) => void) => this.#open(address, onLost);
    this.#session = new ReconnectingRedisConnection({ open, log, ...this.#times });
  }

  /** Connects; resolves when the first attempt is over, also when the server is away. */
  start(): Promise<void> {
    return this.#session.start();
  }

  /**
   * Takes one request out of the bucket of `id`, if there is one. Undefined, or a
   * promise of it: the server is away. Never rejects.
   */
  take(id: string, limit: RequestRateLimit): Promise<RedisRateLimitReply | undefined> | undefined {
    const session = this.#session.current;
    if (session === undefined) return undefined;
    return this.#takeFrom(session, keyPrefix + id, limit).catch((error: unknown) => {
      this.#session.fail(session, error);
      return undefined;
    });
  }

  close(): void {
    this.#session.close();
  }

  async #open(address: RedisAddress, onLost: (error: unknown) => void): Promise<RedisConnection> {
    const session = await openRedisConnection({ address, openMs: this.#times.openMs, onLost });
    try {
      await this.#takeFrom(session, trial.key, trial.limit);
      return session;
    } catch (error) {
      session.end();
      throw error;
    }
  }

  #takeFrom(
    session: RedisConnection,
    key: string,
    limit: RequestRateLimit,
  ): Promise<RedisRateLimitReply> {
    return withRedisReplyTimeout(takeOne(session, key, limit), this.#times.replyMs);
  }
}

async function takeOne(
  session: RedisConnection,
  key: string,
  limit: RequestRateLimit,
): Promise<RedisRateLimitReply> {
  const byDigest = session
    .send(buildRateLimitEvalShaCommand(key, limit))
    .catch((error: unknown) => {
      if (!isUnknownRedisScriptError(error)) throw error;
      return session.send(buildRateLimitEvalCommand(key, limit));
    });
  return parseRedisRateLimitReply(await byDigest, limit);
}

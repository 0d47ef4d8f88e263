import { createHash } from "node:crypto";
import {
  computeRateLimitBucketState,
  rateLimitRefillIntervalMs,
  type RateLimitBucketState,
  type RequestRateLimit,
} from "../request-buckets.ts";

/**
 * `RateLimitBuckets.take` inside of Redis: one round trip, atomic, by the clock of
 * the server, so that machines whose clocks differ agree. A key holds the time at
 * which its bucket will be full, the interval that it was counted in and when it
 * was written, and goes when the bucket is full. Of a key written at a later time
 * than now, only the difference of its times counts. The arithmetic is that of the class, operation for
 * operation, on the same kind of numbers; `%.17g` keeps every bit of them.
 *
 * Not `rate-limiter-flexible`, which counts in fixed windows: at the border of two
 * it lets twice the burst through, and it cannot tell when the next request may
 * come. The token bucket is what the contract promises.
 *
 * Only commands that Redis 6 and every Valkey have.
 */
const source = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local interval, capacity = tonumber(ARGV[1]), tonumber(ARGV[2])
local full_in = 0
local kept = redis.call('GET', KEYS[1])
local full_at, kept_interval, written_at = string.match(kept or '', '^(%S+) (%S+) ?(%S*)$')
-- Ahead of now when the clock of the server was set back.
local from = math.max(now, tonumber(written_at) or now)
if full_at and tonumber(full_at) > from then
  full_in = math.min((tonumber(full_at) - from) * (interval / tonumber(kept_interval)), capacity)
end
local allowed = full_in + interval <= capacity
if allowed or from > now then
  local taken = allowed and interval or 0
  local value = string.format('%.17g %.17g %.17g', now + full_in + taken, interval, now)
  full_in = full_in + taken
  redis.call('SET', KEYS[1], value, 'PX', string.format('%.0f', math.ceil(full_in) + 1))
end
return { allowed and 1 or 0, string.format('%.17g', full_in), string.format('%.17g', now) }
`;

const digest = createHash("sha1").update(source).digest("hex");

/** What a request took, and the time at which it did by the clock of Redis, in milliseconds. */
export interface RedisRateLimitReply {
  readonly reading: RateLimitBucketState;
  readonly at: number;
}

/** The command that asks for the script by its digest. Its answer is an error that `isUnknownRedisScriptError` until the script was sent. */
export function buildRateLimitEvalShaCommand(key: string, limit: RequestRateLimit): string[] {
  return ["EVALSHA", digest, "1", key, ...numbersOf(limit)];
}

/** The command that brings the script with it; the server remembers it. */
export function buildRateLimitEvalCommand(key: string, limit: RequestRateLimit): string[] {
  return ["EVAL", source, "1", key, ...numbersOf(limit)];
}

/** The server has been started anew or its scripts were flushed. */
export function isUnknownRedisScriptError(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("NOSCRIPT");
}

/** Reads the answer to either command. Throws when it is none that the script gives. */
export function parseRedisRateLimitReply(
  answer: unknown,
  limit: RequestRateLimit,
): RedisRateLimitReply {
  const [allowed, fullInMs, at] = Array.isArray(answer) ? answer.map(Number) : [];
  if (fullInMs === undefined || at === undefined || !Number.isFinite(fullInMs + at)) {
    throw new Error("the answer to the script of the request buckets is not understood");
  }
  return { reading: computeRateLimitBucketState(limit, fullInMs, allowed === 1), at };
}

/** The interval of the limit and what a full bucket holds, both in milliseconds. */
function numbersOf(limit: RequestRateLimit): [string, string] {
  const interval = rateLimitRefillIntervalMs(limit);
  return [String(interval), String(limit.burst * interval)];
}

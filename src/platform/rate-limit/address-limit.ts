import ipaddr from "ipaddr.js";
import { ApiError } from "../errors.ts";
import { buildRateLimitHeaders, computeRetryAfterSeconds } from "./rate-limit-headers.ts";
import type { RateLimitBucketState, RequestRateLimit } from "./request-buckets.ts";
import type { RequestRateLimiter } from "./request-limiter.ts";
import { chainMaybePromise, type MaybePromise } from "../maybe-promise.ts";

/** Header names and values. */
type Headers = Readonly<Record<string, string>>;

/** A request bucket per network address, where no credential is asked for. */
export class AddressRateLimiter {
  readonly #buckets: RequestRateLimiter;
  readonly #limit: RequestRateLimit;

  constructor(buckets: RequestRateLimiter, limit: RequestRateLimit) {
    this.#buckets = buckets;
    this.#limit = limit;
  }

  /**
   * Counts a request; gives the headers that tell the caller how its bucket stands.
   * Throws 429 `rate_limited` with the same headers. At once where the bucket is in
   * this process.
   */
  take(address: string): MaybePromise<Headers> {
    const reading = this.#buckets.take(toRateLimitNetwork(address), this.#limit);
    return chainMaybePromise(reading, (found) => this.#toError(found));
  }

  #toError(reading: RateLimitBucketState): Headers {
    const headers = buildRateLimitHeaders(reading);
    if (reading.allowed) return headers;
    const { requestsPerMinute, burst } = this.#limit;
    const seconds = computeRetryAfterSeconds(reading);
    throw new ApiError(
      "rate_limited",
      `An address may make ${requestsPerMinute} requests a minute in bursts of ${burst}; wait ${seconds} s.`,
      { retryAfterSeconds: seconds, headers },
    );
  }
}

/** Whoever has one address of version 6 has the network of 64 bits around it. */
export function toRateLimitNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  const [network = ""] = /^(?:[0-9a-f]+:){4}/.exec(parsed.toNormalizedString()) ?? [];
  return network;
}

import type { Clock } from "../../platform/clock.ts";
import type { Configuration } from "../../platform/configuration/configuration.ts";
import type { Logger } from "../../platform/log.ts";
import type { RedisAddress } from "../../platform/rate-limit/redis/redis-address.ts";
import { RedisRateLimitBuckets } from "../../platform/rate-limit/redis/shared-buckets.ts";
import { RedisRateLimiter } from "../../platform/rate-limit/redis/shared-limiter.ts";
import type { RequestRateLimiters } from "../../platform/rate-limit/request-limiter.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import type { PrimaryProcessClient } from "../peer-processes.ts";

export interface RequestRateLimiterDependencies {
  readonly configuration: Configuration;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Undefined: this process is no worker of several. */
  readonly siblings: PrimaryProcessClient | undefined;
}

/** Buckets in Redis, until they are closed; each process decides for itself then. */
export interface RedisRateLimiters extends RequestRateLimiters {
  close(): void;
}

/** Opens them. Waits for it two seconds at most, and goes on without it then. */
export async function openRedisRateLimiters(
  address: RedisAddress,
  { clock, log, metrics: { rateLimit } }: RequestRateLimiterDependencies,
): Promise<RedisRateLimiters> {
  const shared = new RedisRateLimitBuckets({ address, log });
  await shared.start();
  const limiter = (kind: string, fallbacks: { inc(): void }) =>
    new RedisRateLimiter({ shared, kind, clock, onFallback: () => fallbacks.inc() });
  return {
    keys: limiter("key", rateLimit.keys),
    addresses: limiter("address", rateLimit.addresses),
    probes: limiter("probe", rateLimit.probes),
    close: () => shared.close(),
  };
}

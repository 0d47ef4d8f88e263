import { Counter, type Registry } from "prom-client";

/** Requests that a process decided by itself because whoever keeps the buckets was away, by what their bucket counts. */
export type RateLimitFallbackCounters = Readonly<
  Record<"keys" | "addresses" | "probes", Counter.Internal>
>;

/** Counts nothing where buckets are shared neither by Redis nor by a primary process. */
export function createRateLimitFallbackMetrics(registry: Registry): RateLimitFallbackCounters {
  const counter = new Counter({
    name: "causeway_rate_limit_fallback_total",
    help: "Requests that this process counted by itself because the shared buckets were out of reach.",
    labelNames: ["bucket"],
    registers: [registry],
  });
  return {
    keys: counter.labels({ bucket: "key" }),
    addresses: counter.labels({ bucket: "address" }),
    probes: counter.labels({ bucket: "probe" }),
  };
}

import type { Registry } from "prom-client";
import { tallyCounter, type CounterTally } from "./tally-counter.ts";

/** Requests that a process decided by itself because whoever keeps the buckets was away, by what their bucket counts. */
export type RateLimitMetrics = Readonly<Record<"keys" | "addresses" | "probes", CounterTally>>;

/** Counts nothing where buckets are shared neither by Redis nor by a primary process. */
export function createRateLimitMetrics(registry: Registry): RateLimitMetrics {
  const counter = tallyCounter(registry, {
    name: "causeway_rate_limit_fallback_total",
    help: "Requests that this process counted by itself because the shared buckets were out of reach.",
    labelNames: ["bucket"],
  });
  return {
    keys: counter.tally({ bucket: "key" }),
    addresses: counter.tally({ bucket: "address" }),
    probes: counter.tally({ bucket: "probe" }),
  };
}

import type { Registry } from "prom-client";
import { tallyCounter, type CounterTally } from "./tally-counter.ts";

/** Requests that a process decided by itself because Redis was away, by what their bucket counts. */
export type RateLimitMetrics = Readonly<Record<"keys" | "addresses", CounterTally>>;

/** Counts nothing where buckets are not shared by Redis. */
export function createRateLimitMetrics(registry: Registry): RateLimitMetrics {
  const counter = tallyCounter(registry, {
    name: "causeway_rate_limit_fallback_total",
    help: "Requests that this process counted by itself because Redis was away.",
    labelNames: ["bucket"],
  });
  return {
    keys: counter.tally({ bucket: "key" }),
    addresses: counter.tally({ bucket: "address" }),
  };
}

import { AggregatorRegistry, Counter, Gauge, Registry } from "prom-client";
import type { DatabaseChangeFeed } from "../database/change-feed.ts";
import type { ConnectionPoolStats } from "../database/database.ts";
import type { MetricsRegistrySnapshot } from "./metrics-snapshot.ts";
import { registerLoadMetrics, type LoadMetricValues } from "./load-metrics.ts";
import { createModelCallMetrics, type ModelCallMetrics } from "./model-call-metrics.ts";
import {
  createModelOperationMetrics,
  type ModelOperationMetrics,
} from "./model-operation-metrics.ts";
import { registerProcessMetrics } from "./process-metrics.ts";
import {
  createRateLimitFallbackMetrics,
  type RateLimitFallbackCounters,
} from "./rate-limit-metrics.ts";
import { createApiErrorMetrics, type ApiErrorMetrics } from "./refusal-metrics.ts";
import { createTurnMetrics, type TurnMetrics } from "./turn-metrics.ts";
import { createRequestMetrics, type RequestMetrics } from "./request-metrics.ts";

/** The metrics of the process; both services share one set. */
export interface Metrics {
  readonly requests: RequestMetrics;
  readonly errors: ApiErrorMetrics;
  readonly modelCalls: ModelCallMetrics;
  readonly modelOperations: ModelOperationMetrics;
  readonly rateLimit: RateLimitFallbackCounters;
  readonly turns: TurnMetrics;
  /** Shows the database pool; call it once. */
  observeDatabasePool(read: () => ConnectionPoolStats): void;
  /** Shows whether caches may be used without asking the database; call it once. */
  observeChangeFeed(feed: Pick<DatabaseChangeFeed, "trusted">): void;
  /** Shows the load of the process; call it once. */
  observeLoad(load: LoadMetricValues): void;
  /** Shows how many connections a port has; call it once per service. */
  observeConnections(service: string, read: () => number): void;
  readonly contentType: string;
  /** What this process alone has counted. */
  snapshot(): Promise<MetricsRegistrySnapshot>;
  /** Everything in the Prometheus text format; of several processes, all of them together. */
  render(): Promise<string>;
}

/**
 * Makes the registry and every metric of ours; those of the process, its heap and
 * the lag of its event loop come from prom-client. Labels are bounded: routes are patterns,
 * status codes are classes, models are few and were answered for.
 *
 * @param gather - where this is one of several processes: what each of them has counted
 */
export function createMetrics(gather?: () => Promise<readonly MetricsRegistrySnapshot[]>): Metrics {
  const registry = new Registry();
  registerProcessMetrics(registry);
  const watchConnections = connectionGauge(registry);
  return {
    requests: createRequestMetrics(registry),
    errors: createApiErrorMetrics(registry),
    modelCalls: createModelCallMetrics(registry),
    modelOperations: createModelOperationMetrics(registry),
    rateLimit: createRateLimitFallbackMetrics(registry),
    turns: createTurnMetrics(registry),
    observeDatabasePool: (read) => showPool(registry, read),
    observeChangeFeed: (feed) => showChangeFeed(registry, feed),
    observeLoad: (load) => registerLoadMetrics(registry, load),
    observeConnections: watchConnections,
    contentType: registry.contentType,
    snapshot: () =>
      registry.getMetricsAsJSON() as Promise<unknown> as Promise<MetricsRegistrySnapshot>,
    render: async () =>
      gather === undefined
        ? registry.metrics()
        : AggregatorRegistry.aggregate([...(await gather())]).metrics(),
  };
}

function showPool(registry: Registry, read: () => ConnectionPoolStats): void {
  void new Gauge({
    name: "causeway_database_pool_connections",
    help: "Connections of the database pool by state; `waiting` counts callers without one.",
    labelNames: ["state"],
    registers: [registry],
    collect() {
      const { used, free, waiting } = read();
      this.set({ state: "used" }, used);
      this.set({ state: "free" }, free);
      this.set({ state: "waiting" }, waiting);
    },
  });
  void new Counter({
    name: "causeway_database_connection_failures_total",
    help: "Callers that got no connection to the database: it was `away`, or `overloaded`, so that none was free in time.",
    labelNames: ["reason"],
    registers: [registry],
    collect() {
      const { overloaded, away } = read().failures;
      this.reset();
      this.inc({ reason: "overloaded" }, overloaded);
      this.inc({ reason: "away" }, away);
    },
  });
}

function showChangeFeed(registry: Registry, feed: Pick<DatabaseChangeFeed, "trusted">): void {
  void new Gauge({
    name: "causeway_change_feed_trusted",
    help: "1 while changes in the database are heard of, 0 while what is cached is read again before each use. Of several processes, the worst.",
    aggregator: "min",
    registers: [registry],
    collect() {
      this.set(feed.trusted ? 1 : 0);
    },
  });
}

function connectionGauge(registry: Registry): Metrics["observeConnections"] {
  const readings = new Map<string, () => number>();
  void new Gauge({
    name: "causeway_connections_open",
    help: "Connections that are open on the service's port.",
    labelNames: ["service"],
    registers: [registry],
    collect() {
      for (const [service, read] of readings) this.set({ service }, read());
    },
  });
  return (service, read) => void readings.set(service, read);
}

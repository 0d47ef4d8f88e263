import { createRequire } from "node:module";
import { collectDefaultMetrics, Counter, type Registry } from "prom-client";
import { getSurvivedErrorCount } from "../uncaught/survive-uncaught-errors.ts";

type RegisterMetric = (
  registry: Registry,
  config: { eventLoopMonitoringPrecision: number },
) => void;

/** Observes every collection of garbage. Speed: docs/performance.md, `process-metrics`. */
const leftOut = "gc";

/** Milliseconds between two looks at the event loop; prom-client's own default. */
const eventLoopMonitoringPrecision = 10;

const load = createRequire(import.meta.url);

/**
 * Registers prom-client's metrics of the process, each from its own file, because
 * all together are to be had with one more only. What a collection costs shows
 * in the lag of the event loop and in the size of the heap.
 */
export function registerProcessMetrics(registry: Registry): void {
  for (const name of collectDefaultMetrics.metricsList) {
    if (name === leftOut) continue;
    const register = load(`prom-client/lib/metrics/${name}.js`) as RegisterMetric;
    register(registry, { eventLoopMonitoringPrecision });
  }
  countSurvivedErrors(registry);
}

function countSurvivedErrors(registry: Registry): void {
  void new Counter({
    name: "causeway_uncaught_errors_total",
    help: "Errors that nobody caught; each ended the connection it belonged to.",
    registers: [registry],
    collect() {
      this.reset();
      this.inc(getSurvivedErrorCount());
    },
  });
}

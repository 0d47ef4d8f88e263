import { Counter, Gauge, type Registry } from "prom-client";

/** How the load of the process stands, read when the metrics are scraped. */
export interface LoadMetricValues {
  readonly delayMs: number;
  readonly isShedding: boolean;
  readonly rejected: number;
}

/** Shows the lateness of the event loop and what was refused for it. Of several processes, the worst. */
export function registerLoadMetrics(registry: Registry, load: LoadMetricValues): void {
  void new Gauge({
    name: "causeway_event_loop_delay_seconds",
    help: "How late the event loop was when it was last looked at, ten times a second.",
    aggregator: "max",
    registers: [registry],
    collect() {
      this.set(load.delayMs / 1000);
    },
  });
  void new Gauge({
    name: "causeway_shedding",
    help: "1 while new calls are refused because the event loop is late.",
    aggregator: "max",
    registers: [registry],
    collect() {
      this.set(load.isShedding ? 1 : 0);
    },
  });
  void new Counter({
    name: "causeway_shed_requests_total",
    help: "Calls that were refused because the event loop was late.",
    registers: [registry],
    collect() {
      this.reset();
      this.inc(load.rejected);
    },
  });
}

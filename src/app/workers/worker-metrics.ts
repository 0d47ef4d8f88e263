import {
  mergeCumulativeMetrics,
  type MetricsRegistrySnapshot,
} from "../../platform/telemetry/metrics-snapshot.ts";
import { workerMessageKinds, workerMetricsTimeoutMs } from "./worker-protocol.ts";
import type { WorkerProcess } from "./worker-process.ts";

/**
 * What all gateway workers have counted, those that have ended included, so that
 * no counter ever falls: of a worker that does not answer in time, and of one
 * that has ended, counts what it last said.
 */
export class WorkerMetricsCollector {
  readonly #last = new Map<WorkerProcess, MetricsRegistrySnapshot>();
  #retired: MetricsRegistrySnapshot = [];
  #deaths = 0;

  /** Asks the workers; takes `workerMetricsTimeoutMs` at most. */
  async collect(workers: readonly WorkerProcess[]): Promise<readonly MetricsRegistrySnapshot[]> {
    await Promise.all(workers.map((worker) => this.#ask(worker)));
    return [...this.#last.values(), this.#retired, this.local(workers.length)];
  }

  /** Keeps the counters of a worker that has ended. */
  retire(worker: WorkerProcess): void {
    this.#deaths += 1;
    this.#retired = mergeCumulativeMetrics(this.#retired, this.#last.get(worker) ?? []);
    this.#last.delete(worker);
  }

  /** What the primary itself has counted. */
  local(workers: number): MetricsRegistrySnapshot {
    return [
      {
        name: "causeway_gateway_workers",
        help: "Gateway processes that are ready.",
        type: "gauge",
        aggregator: "sum",
        values: [{ value: workers, labels: {} }],
      },
      {
        name: "causeway_gateway_worker_deaths_total",
        help: "Gateway processes that ended unasked and were replaced.",
        type: "counter",
        aggregator: "sum",
        values: [{ value: this.#deaths, labels: {} }],
      },
    ];
  }

  async #ask(worker: WorkerProcess): Promise<void> {
    const counted = await worker.channel
      .request(workerMessageKinds.metrics, null, workerMetricsTimeoutMs)
      .catch(() => undefined);
    if (counted !== undefined) this.#last.set(worker, counted as MetricsRegistrySnapshot);
  }
}

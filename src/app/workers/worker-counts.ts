import { addCounted, type Counted } from "../../platform/telemetry/counted.ts";
import { kinds, metricsMs } from "./conversation.ts";
import type { WorkerProcess } from "./worker-process.ts";

/**
 * What all gateway workers have counted, those that have ended included, so that
 * no counter ever falls: of a worker that does not answer in time, and of one
 * that has ended, counts what it last said.
 */
export class WorkerCounts {
  readonly #last = new Map<WorkerProcess, Counted>();
  #departed: Counted = [];
  #deaths = 0;

  /** Asks the workers; takes `metricsMs` at most. */
  async gather(workers: readonly WorkerProcess[]): Promise<readonly Counted[]> {
    await Promise.all(workers.map((worker) => this.#ask(worker)));
    return [...this.#last.values(), this.#departed, this.own(workers.length)];
  }

  /** Keeps the counters of a worker that has ended. */
  bury(worker: WorkerProcess): void {
    this.#deaths += 1;
    this.#departed = addCounted(this.#departed, this.#last.get(worker) ?? []);
    this.#last.delete(worker);
  }

  /** What the primary itself has counted. */
  own(workers: number): Counted {
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
    const counted = await worker.channel.ask(kinds.metrics, null, metricsMs).catch(() => undefined);
    if (counted !== undefined) this.#last.set(worker, counted as Counted);
  }
}

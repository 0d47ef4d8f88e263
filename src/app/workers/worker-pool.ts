import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "../../platform/log.ts";
import type { BoundAddress } from "../../transport/front/listen.ts";
import type { HttpServiceName } from "../service-name.ts";
import {
  workerMessageKinds,
  type WorkerReadyMessage,
  type WorkerServiceAssignment,
} from "./worker-protocol.ts";
import { WorkerRestartBackoff } from "./restart-backoff.ts";
import { OrphanedClientSocketCloser } from "./orphaned-connections.ts";
import { spawnWorkerProcess, type WorkerExit, type WorkerProcess } from "./worker-process.ts";

export interface WorkerPoolDependencies {
  /** What each worker is, in the order of their numbers, which count from 1; the first one starts alone. */
  readonly services: readonly HttpServiceName[];
  /** The configured ports; 0 for any that is free. */
  readonly ports: Readonly<Record<HttpServiceName, number>>;
  readonly log: Logger;
  /** Sees each worker before it can ask anything. */
  readonly onStart: (worker: WorkerProcess) => void;
  /** Sees each worker that has ended before it was told to. */
  readonly onDeath: (worker: WorkerProcess) => void;
}

/** The first start failed; the worker has told why. */
export class WorkerStartError extends Error {
  override readonly name = "WorkerStartError";
  readonly end: WorkerExit;

  constructor(end: WorkerExit) {
    super("A worker ended before it was ready.");
    this.end = end;
  }
}

/** The workers of a primary: started, replaced when they die, and ended together. */
export class WorkerProcessSupervisor {
  readonly #dependencies: WorkerPoolDependencies;
  readonly #running = new Set<WorkerProcess>();
  readonly #ready = new Set<WorkerProcess>();
  readonly #listening = new Map<HttpServiceName, BoundAddress>();
  readonly #ports: Record<HttpServiceName, number>;
  readonly #connections = new OrphanedClientSocketCloser();
  readonly #stopping = new AbortController();

  constructor(dependencies: WorkerPoolDependencies) {
    this.#dependencies = dependencies;
    this.#ports = { ...dependencies.ports };
  }

  /** Workers of a service that can be asked. */
  ready(service: HttpServiceName): WorkerProcess[] {
    return [...this.#ready].filter((worker) => worker.service === service);
  }

  /**
   * Starts all, the first one alone: it makes and migrates the database. Rejects
   * with `WorkerStartError` when one ends before it is ready.
   */
  async start(): Promise<readonly WorkerReadyMessage[]> {
    const [first, ...others] = this.#dependencies.services.map((service, index) => {
      return () => this.#startFirst(service, index + 1);
    });
    if (first === undefined) return [];
    return [await first(), ...(await Promise.all(others.map((start) => start())))];
  }

  /** Lets every worker finish; those that have not after so long are ended. Resolves with how they ended. */
  async stop(limitMs: number): Promise<readonly WorkerExit[]> {
    this.#stopping.abort();
    const workers = [...this.#running];
    for (const worker of workers) worker.drain();
    this.#connections.stop();
    const limit = setTimeout(() => this.kill(), limitMs);
    const ends = await Promise.all(workers.map(({ ended }) => ended));
    clearTimeout(limit);
    return ends;
  }

  /** Ends every worker at once. */
  kill(): void {
    this.#stopping.abort();
    for (const worker of this.#running) worker.kill();
  }

  async #startFirst(service: HttpServiceName, number: number): Promise<WorkerReadyMessage> {
    // Stopped while it starts: nobody is to come after those that are told to end.
    if (this.#stopping.signal.aborted) throw new WorkerStartError({ code: 0, signal: null });
    const worker = this.#launch(service, number);
    const report = await worker.ready;
    if (report === undefined) throw new WorkerStartError(await worker.ended);
    void this.#keepRunning(worker);
    return report;
  }

  /** Replaces a worker, and whoever replaces it, whenever it ends unasked. */
  async #keepRunning(first: WorkerProcess): Promise<void> {
    const { signal } = this.#stopping;
    const { service, number } = first;
    const pause = new WorkerRestartBackoff();
    for (let worker = first; ; worker = this.#launch(service, number)) {
      const end = await worker.ended;
      if (signal.aborted) return;
      const pauseMs = pause.after((await worker.ready) !== undefined);
      const facts = { of: service, number, ...end, restart_in_ms: pauseMs };
      this.#dependencies.log.error(facts, "a worker ended unexpectedly and is started again");
      await delay(pauseMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
    }
  }

  #launch(service: HttpServiceName, number: number): WorkerProcess {
    const worker = spawnWorkerProcess(this.#assignmentFor(service, number), this.#connections);
    this.#dependencies.onStart(worker);
    this.#running.add(worker);
    void worker.ready.then((report) => report !== undefined && this.#onReady(worker, report));
    void worker.ended.then(() => this.#onEnd(worker));
    return worker;
  }

  #assignmentFor(service: HttpServiceName, number: number): WorkerServiceAssignment {
    const listeners = [...this.#listening].flatMap(([name, at]) => (name === service ? [] : [at]));
    const processes = this.#dependencies.services.length;
    return { service, number, processes, port: this.#ports[service], listeners };
  }

  #onReady(worker: WorkerProcess, { service, listening }: WorkerReadyMessage): void {
    const known = this.#listening.get(service);
    if (known === undefined) {
      this.#listening.set(service, listening);
      for (const other of this.#running) {
        if (other.service !== service)
          other.channel.notify(workerMessageKinds.listeners, [listening]);
      }
    } else if (known.port !== listening.port) {
      // It was told 0 while the last one that had the port ended: the next one is told which.
      this.#ports[service] = known.port;
      worker.kill();
      return;
    }
    this.#ready.add(worker);
  }

  #onEnd(worker: WorkerProcess): void {
    const { service } = worker;
    this.#running.delete(worker);
    if (this.#ready.delete(worker) && !this.#stopping.signal.aborted)
      this.#dependencies.onDeath(worker);
    // While one of them lives, it holds the port for all; then whoever is next has to name it.
    const port = this.#listening.get(service)?.port;
    const isLast = ![...this.#running].some((other) => other.service === service);
    if (isLast && port !== undefined) this.#ports[service] = port;
  }
}

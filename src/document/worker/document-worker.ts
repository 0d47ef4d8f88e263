import { Worker } from "node:worker_threads";
import { ApiError, invalidRequestError } from "../../platform/errors.ts";
import type { ServiceDocumentTaskResult, ServiceDocumentWorkerTask } from "./document-task.ts";

/** Mebibytes of objects that a task may make. */
const heapMib = 768;

/** How long a thread stays when it has nothing to do: it holds what its last task took. */
const defaultIdleMs = 10_000;

type AnswerTo<Kind extends ServiceDocumentWorkerTask["kind"]> = Extract<
  ServiceDocumentTaskResult,
  { kind: Kind }
>;

interface Waiting {
  readonly resolve: (answer: ServiceDocumentTaskResult) => void;
  readonly reject: (error: Error) => void;
}

/** A thread, and the tasks that it was sent and has not answered. */
interface DocumentThread {
  readonly worker: Worker;
  readonly waiting: Map<number, Waiting>;
}

/**
 * Learns and renders in a thread of its own, so that a large capture delays nobody.
 * The thread starts with the first task and ends when it was idle for a while; a
 * task that needs too much memory ends it, and is refused with the others that wait.
 */
export class ServiceDocumentWorker {
  readonly #idleMs: number;
  #thread: DocumentThread | undefined;
  #idle: NodeJS.Timeout | undefined;
  #tasks = 0;

  constructor(idleMs = defaultIdleMs) {
    this.#idleMs = idleMs;
  }

  /** Rejects with 400 for a capture that is none, with 413 when there is not enough memory. */
  async run<Kind extends ServiceDocumentWorkerTask["kind"]>(
    task: ServiceDocumentWorkerTask & { kind: Kind },
  ): Promise<AnswerTo<Kind>> {
    const answer = await this.#send(task);
    if (answer.kind === "fault") throw invalidRequestError(answer.param, answer.message);
    return answer as AnswerTo<Kind>;
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    await this.#thread?.worker.terminate();
  }

  #send(task: ServiceDocumentWorkerTask): Promise<ServiceDocumentTaskResult> {
    const thread = (this.#thread ??= this.#start());
    clearTimeout(this.#idle);
    this.#tasks += 1;
    const number = this.#tasks;
    return new Promise((resolve, reject) => {
      thread.waiting.set(number, { resolve, reject });
      thread.worker.postMessage({ number, task });
    });
  }

  #start(): DocumentThread {
    const worker = new Worker(new URL("./document-thread.ts", import.meta.url), {
      execArgv: [],
      name: "documents",
      resourceLimits: { maxOldGenerationSizeMb: heapMib },
    });
    worker.unref();
    const thread: DocumentThread = { worker, waiting: new Map() };
    let failure: Error | undefined;
    worker.on(
      "message",
      ({ number, answer }: { number: number; answer: ServiceDocumentTaskResult }) => {
        thread.waiting.get(number)?.resolve(answer);
        thread.waiting.delete(number);
        if (thread.waiting.size === 0) this.#endWhenIdle();
      },
    );
    worker.on("error", (error) => {
      failure = error;
    });
    worker.on("exit", () => {
      if (this.#thread === thread) this.#thread = undefined;
      for (const { reject } of thread.waiting.values()) reject(refusalOf(failure));
    });
    return thread;
  }

  #endWhenIdle(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.#endIdle(), this.#idleMs).unref();
  }

  async #endIdle(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.worker.terminate();
  }
}

function refusalOf(failure: Error | undefined): Error {
  if (failure !== undefined && "code" in failure && failure.code === "ERR_WORKER_OUT_OF_MEMORY") {
    const message =
      "The capture takes more memory than learning may use; send it in smaller parts.";
    return new ApiError("request_too_large", message);
  }
  if (failure !== undefined) return failure;
  return new ApiError("unavailable", "The server is stopping; send the request again.");
}

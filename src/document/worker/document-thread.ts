/** The thread that learns and renders: answers each task that it is sent, one after the other. */
import { parentPort } from "node:worker_threads";
import { runServiceDocumentWorkerTask, type ServiceDocumentWorkerTask } from "./document-task.ts";

/** A task with the number that its answer carries. */
export interface NumberedServiceDocumentTask {
  readonly number: number;
  readonly task: ServiceDocumentWorkerTask;
}

parentPort?.on("message", ({ number, task }: NumberedServiceDocumentTask) => {
  parentPort?.postMessage({ number, answer: runServiceDocumentWorkerTask(task) });
});

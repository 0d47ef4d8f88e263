/** The thread that learns and renders: answers each task that it is sent, one after the other. */
import { parentPort } from "node:worker_threads";
import { runServiceDocumentTask, type ServiceDocumentTask } from "./document-task.ts";

/** A task with the number that its answer carries. */
export interface NumberedServiceDocumentTask {
  readonly number: number;
  readonly task: ServiceDocumentTask;
}

parentPort?.on("message", ({ number, task }: NumberedServiceDocumentTask) => {
  parentPort?.postMessage({ number, answer: runServiceDocumentTask(task) });
});

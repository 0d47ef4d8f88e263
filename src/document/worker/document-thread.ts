/** The thread that learns and renders: answers each task that it is sent, one after the other. */
import { parentPort } from "node:worker_threads";
import { runDocumentTask, type DocumentTask } from "./document-task.ts";

/** A task with the number that its answer carries. */
export interface NumberedTask {
  readonly number: number;
  readonly task: DocumentTask;
}

parentPort?.on("message", ({ number, task }: NumberedTask) => {
  parentPort?.postMessage({ number, answer: runDocumentTask(task) });
});

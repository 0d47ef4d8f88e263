/** Measures the combinations that come as messages, each alone, and answers with their outcomes. */
import { parentPort } from "node:worker_threads";
import type { Combination } from "../find-growth.ts";
import { measureCombination } from "../plan.ts";

interface Task {
  readonly combination: Combination;
  readonly size: number;
}

parentPort?.on("message", ({ combination, size }: Task) => {
  parentPort?.postMessage(measureCombination(combination, size));
});

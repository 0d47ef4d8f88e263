import { once } from "node:events";
import type { Child } from "../running/child.ts";
import { startProgram } from "../running/program.ts";
import type { ProcessGroup } from "../running/process-group.ts";
import type { LoadJob, LoadResult } from "./load-job.ts";

/** The load client as the main process sees it: one job at a time. */
export class LoadGenerator {
  readonly #child: Child;

  constructor(child: Child) {
    this.#child = child;
  }

  /** Rejects when the client ends before it has answered. */
  async run(job: LoadJob): Promise<LoadResult> {
    const gone = new AbortController();
    const answer = once(this.#child.process, "message", { signal: gone.signal });
    const onExit = () => gone.abort(new Error("the load client ended"));
    this.#child.process.once("exit", onExit);
    try {
      this.#child.process.send(job);
      const [result]: [LoadResult] = (await answer) as [LoadResult];
      return result;
    } finally {
      this.#child.process.off("exit", onExit);
    }
  }
}

/** Starts the load client on its cores. */
export async function startLoadGenerator(
  stage: ProcessGroup,
  cores: string | undefined,
): Promise<LoadGenerator> {
  return new LoadGenerator(await startProgram(stage, "load-client", [], cores));
}

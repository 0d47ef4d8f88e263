import { sampleProcess, type Sample } from "./process-samples.ts";

const everyMs = 2000;

/** Looks at a process every two seconds until it is told to stop. */
export class ProcessWatch {
  readonly samples: Sample[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(pid: number) {
    this.#timer = setInterval(() => this.samples.push(sampleProcess(pid)), everyMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

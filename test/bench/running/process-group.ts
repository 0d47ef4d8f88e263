import { join } from "node:path";
import { startChild, type Child, type ChildOptions } from "./child.ts";

/** Every process of a run. Disposing it ends all that still live, each by its pid. */
export class ProcessGroup implements AsyncDisposable {
  readonly #living = new Set<Child>();
  readonly #logDirectory: string;
  #started = 0;
  #ended = false;

  constructor(logDirectory: string) {
    this.#logDirectory = logDirectory;
    process.once("exit", () => this.#signalAll());
  }

  /** Starts a process and waits until it is ready. What it writes to stderr goes to a file. */
  async start(options: Omit<ChildOptions, "logFile">): Promise<Child> {
    if (this.#ended) throw new Error(`${options.name} is not started: the run has ended`);
    const logFile = join(this.#logDirectory, `${options.name}-${++this.#started}.log`);
    const child = await startChild({ ...options, logFile }, (started) => {
      this.#living.add(started);
      started.process.once("exit", () => this.#living.delete(started));
    });
    return child;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended = true;
    await Promise.all([...this.#living].map((child) => child.stop()));
  }

  /** The last resort of a run that ends without disposing. */
  #signalAll(): void {
    for (const child of this.#living) child.process.kill("SIGTERM");
  }
}

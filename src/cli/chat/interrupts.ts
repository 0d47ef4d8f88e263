/** Ctrl-C while an answer comes: once ends the answer, twice leaves. */
export class InterruptListener implements Disposable {
  readonly #stop = new AbortController();
  readonly #leave = new AbortController();
  readonly #note = () => (this.#stop.signal.aborted ? this.#leave.abort() : this.#stop.abort());

  constructor() {
    process.on("SIGINT", this.#note);
  }

  /** Aborted by the first. */
  get stop(): AbortSignal {
    return this.#stop.signal;
  }

  /** Aborted by the second. */
  get exit(): AbortSignal {
    return this.#leave.signal;
  }

  [Symbol.dispose](): void {
    process.off("SIGINT", this.#note);
  }
}

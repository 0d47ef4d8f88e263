/** Where whole chunks of lines go: a sonic-boom, as pino makes them. */
export interface LineSink {
  write(text: string): unknown;
  flush(done: (error?: Error | null) => void): void;
  flushSync(): void;
}

/** Gathered text is passed on when it is this long. */
const enough = 64 * 1024;

/** Longest that a line waits. */
const longestWaitMs = 100;

/**
 * Gathers log lines and passes them on together: a write per line costs a
 * thousand requests a second a tenth of their time. What waits is written when
 * the process exits; a kill loses the last tenth of a second.
 */
export class GatheredLines {
  readonly #sink: LineSink;
  readonly #mostAtOnce: number;
  #pending = "";
  #timer: NodeJS.Timeout | undefined;

  /** `mostAtOnce`: no chunk is longer, but for a single line that is. */
  constructor(sink: LineSink, mostAtOnce = Number.POSITIVE_INFINITY) {
    this.#sink = sink;
    this.#mostAtOnce = mostAtOnce;
    process.once("exit", () => {
      this.#pass();
      sink.flushSync();
    });
  }

  /** Takes one line, its line feed included. */
  write(line: string): void {
    if (this.#pending.length + line.length > this.#mostAtOnce) this.#pass();
    this.#pending += line;
    if (this.#pending.length >= enough) this.#pass();
    else this.#timer ??= setTimeout(() => this.#pass(), longestWaitMs).unref();
  }

  /** Calls back when everything so far is written. */
  flush(done: (error?: Error | null) => void = () => undefined): void {
    this.#pass();
    this.#sink.flush(done);
  }

  #pass(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pending === "") return;
    const text = this.#pending;
    this.#pending = "";
    this.#sink.write(text);
  }
}

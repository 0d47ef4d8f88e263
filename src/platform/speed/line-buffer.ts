/** Where whole chunks of lines go: a sonic-boom that takes bytes. */
export interface LogLineDestination {
  write(bytes: Buffer): unknown;
  flush(done: (error?: Error | null) => void): void;
  flushSync(): void;
  /** Everything that was given to it is written. */
  on(event: "drain", listener: () => void): unknown;
}

/** Gathered bytes are passed on when there are so many. */
const enough = 64 * 1024;

/** Slabs that are kept for reuse. */
const maxSpare = 4;

/** UTF-8 needs at most so many bytes for a unit of a string. */
const bytesPerUnit = 3;

/** Longest that a line waits. */
const maxWaitMs = 100;

/**
 * Gathers log lines and passes them on together. What waits is written when the process
 * exits; a kill loses the last tenth of a second. Speed: docs/performance.md,
 * `gathered-lines`.
 */
export class LogLineBuffer {
  readonly #sink: LogLineDestination;
  readonly #mostAtOnce: number;
  /** Full ones, which the sink may still be writing, and those that it has written. */
  #full: Buffer<ArrayBuffer>[] = [];
  #spare: Buffer<ArrayBuffer>[] = [];
  #slab = Buffer.allocUnsafeSlow(enough);
  /** What waits stands from here to the end; what is before was passed on. */
  #start = 0;
  #end = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `mostAtOnce`: bytes; no chunk is longer, but for a single line that is. */
  constructor(sink: LogLineDestination, mostAtOnce = Number.POSITIVE_INFINITY) {
    this.#sink = sink;
    this.#mostAtOnce = mostAtOnce;
    sink.on("drain", () => this.#reuse());
    process.once("exit", () => {
      this.#pass();
      sink.flushSync();
    });
  }

  /** Takes one line, its line feed included. */
  write(line: string): void {
    const room = line.length * bytesPerUnit;
    if (this.#end + room > this.#slab.length) this.#takeSlab(room);
    const bytes = this.#slab.write(line, this.#end);
    if (this.#end + bytes - this.#start > this.#mostAtOnce) this.#pass();
    this.#end += bytes;
    if (this.#end - this.#start >= enough) this.#pass();
    else this.#timer ??= setTimeout(() => this.#pass(), maxWaitMs).unref();
  }

  /** Calls back when everything so far is written. */
  flush(done: (error?: Error | null) => void = () => undefined): void {
    this.#pass();
    this.#sink.flush(done);
  }

  #takeSlab(room: number): void {
    this.#pass();
    if (this.#slab.length === enough) this.#full.push(this.#slab);
    const spare = room <= enough ? this.#spare.pop() : undefined;
    this.#slab = spare ?? Buffer.allocUnsafeSlow(Math.max(enough, room));
    this.#start = 0;
    this.#end = 0;
  }

  #reuse(): void {
    this.#spare = [...this.#spare, ...this.#full].slice(0, maxSpare);
    this.#full = [];
  }

  #pass(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#start === this.#end) return;
    const bytes = this.#slab.subarray(this.#start, this.#end);
    this.#start = this.#end;
    this.#sink.write(bytes);
  }
}

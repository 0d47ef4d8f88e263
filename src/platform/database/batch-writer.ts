import type { Logger } from "pino";

export interface BatchWriterDependencies<Row> {
  /** Writes rows in one statement; a batch that is written again must do no harm. */
  readonly write: (rows: readonly Row[]) => Promise<void>;
  readonly log: Logger;
  /** What the rows are, for the log line of a failure: `usage`. */
  readonly label: string;
  /** Rows of one statement. */
  readonly batchSize: number;
  /** Rows that wait for a database that is away or too slow; beyond this the oldest are lost. */
  readonly maxPending: number;
  /** Rows lie here at most this long while the database takes them; half a second unless told. */
  readonly waitMs?: number;
}

const defaultWaitMs = 500;

const retryMs = 2000;

/**
 * Collects rows and writes many of them in one statement, off the path of the
 * calls that make them. A failed write is repeated.
 */
export class BatchWriter<Row> {
  readonly #dependencies: BatchWriterDependencies<Row>;
  #waiting: Row[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(dependencies: BatchWriterDependencies<Row>) {
    this.#dependencies = dependencies;
  }

  /** Notes a row; never throws. */
  add(row: Row): void {
    const { maxPending: waitingAtMost, log, label: what } = this.#dependencies;
    this.#waiting.push(row);
    if (this.#waiting.length > waitingAtMost) {
      this.#waiting.shift();
      log.warn(`${what}: the oldest is lost, because the database does not keep up`);
    }
    this.#flushIn(this.#dependencies.waitMs ?? defaultWaitMs);
  }

  /** Writes what waits; resolves when it is written or has failed. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  #flushIn(milliseconds: number): void {
    this.#timer ??= setTimeout(() => void this.flush(), milliseconds).unref();
  }

  async #write(): Promise<void> {
    const {
      write,
      log,
      label: what,
      batchSize: rowsAtOnce,
      maxPending: waitingAtMost,
    } = this.#dependencies;
    // What comes meanwhile is for the next time, or a busy server would never be done.
    for (let left = this.#waiting.length; left > 0; left -= rowsAtOnce) {
      const rows = this.#waiting.splice(0, Math.min(left, rowsAtOnce));
      try {
        await write(rows);
      } catch (error) {
        log.warn({ err: error, rows: rows.length }, `${what} could not be written yet`);
        this.#waiting = [...rows, ...this.#waiting].slice(-waitingAtMost);
        this.#flushIn(retryMs);
        return;
      }
    }
  }
}

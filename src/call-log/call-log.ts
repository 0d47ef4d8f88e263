import type { EntityManager } from "@mikro-orm/postgresql";
import type { Logger } from "pino";
import type {
  ResponseModelFinder,
  CallLogRecorder,
  CallLogWriter,
  CallLogEntry,
} from "../domain/call-log-entry.ts";
import { BatchWriter } from "../platform/database/batch-writer.ts";
import { PendingLogLines } from "../platform/speed/pending-lines.ts";
import { serializeCallLogLine } from "./call-row-text.ts";
import { findResponseModel } from "./find-calls.ts";
import { insertCallLogLineInTransaction } from "./insert-calls.ts";
import { insertValidCallLogLines } from "./write-calls.ts";
import { createMissingCallLogPartitions, toEpochDay } from "./call-partitions.ts";

export interface CallLogDependencies {
  readonly fork: () => EntityManager;
  readonly log: Logger;
}

/**
 * Rows of one statement. A statement takes a busy process some twenty milliseconds,
 * nearly whatever is in it: with fewer rows it could not keep up with the calls.
 */
const maxRows = 1000;

/** Bytes of one statement: room for so many rows with the usage objects that vendors send. */
const maxBytes = 1024 * 1024;

/** Full batches that wait for a database that is away or too slow; beyond this the oldest calls are lost. */
const maxBatches = 100;

/** Written ones that are filled again: new ones of this size would bring collections of the whole heap near. */
const maxSpareBatches = 4;

/** A full one is written soon. */
const fullWaitMs = 10;

/** Calls lie here at most this long. */
const closeMs = 500;

/** Keeps calls that have ended, many in one statement, off their path. */
export class CallLog implements CallLogRecorder, CallLogWriter, ResponseModelFinder {
  readonly #fork: CallLogDependencies["fork"];
  readonly #log: Logger;
  readonly #batches: BatchWriter<PendingLogLines>;
  #open = new PendingLogLines();
  readonly #spare: PendingLogLines[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** That is there. */
  #partitionDay: number | undefined;

  constructor({ fork, log }: CallLogDependencies) {
    this.#fork = fork;
    this.#log = log;
    this.#batches = new BatchWriter({
      write: async ([rows]) => rows && this.#write(rows),
      log,
      label: "calls",
      batchSize: 1,
      maxPending: maxBatches,
      waitMs: fullWaitMs,
    });
  }

  record(call: CallLogEntry): void {
    this.#open.add(serializeCallLogLine(call));
    const isFull = this.#open.count >= maxRows || this.#open.length >= maxBytes;
    if (isFull) this.#close();
    else this.#timer ??= setTimeout(() => void this.flush(), closeMs).unref();
  }

  async prepare(now: number): Promise<void> {
    const day = toEpochDay(now);
    if (this.#partitionDay === day) return;
    await createMissingCallLogPartitions(this.#fork(), [now]);
    this.#partitionDay = day;
  }

  async write(em: EntityManager, call: CallLogEntry): Promise<void> {
    await insertCallLogLineInTransaction(em, serializeCallLogLine(call));
  }

  /** What this process has noted counts at once. */
  async findResponseModel(accountId: string, responseId: string): Promise<string | undefined> {
    await this.flush();
    return findResponseModel(this.#fork(), accountId, responseId);
  }

  /** Writes what waits; resolves when it is written or has failed. */
  flush(): Promise<void> {
    this.#close();
    return this.#batches.flush();
  }

  #close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#open.count === 0) return;
    this.#batches.add(this.#open);
    this.#open = this.#spare.pop() ?? new PendingLogLines();
  }

  async #write(rows: PendingLogLines): Promise<void> {
    await insertValidCallLogLines(this.#fork, rows.toBytes(), this.#log);
    rows.clear();
    if (this.#spare.length < maxSpareBatches) this.#spare.push(rows);
  }
}

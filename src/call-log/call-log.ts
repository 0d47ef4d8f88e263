import type { EntityManager } from "@mikro-orm/postgresql";
import type { Logger } from "pino";
import type { CallFinder, CallKeeper, CallWriter, KeptCall } from "../kernel/kept-call.ts";
import { BatchLog } from "../platform/database/batch-log.ts";
import { WaitingTexts } from "../platform/speed/waiting-texts.ts";
import { keptCallLine } from "./kept-call-line.ts";
import { findModelOfResponse } from "./find-calls.ts";
import { insertCallWithin } from "./insert-calls.ts";
import { writeCalls } from "./write-calls.ts";
import { addPartitions, partitionDay } from "./call-partitions.ts";

export interface CallLogDependencies {
  readonly fork: () => EntityManager;
  readonly log: Logger;
}

/**
 * Rows of one statement. A statement takes a busy process some twenty milliseconds,
 * nearly whatever is in it: with fewer rows it could not keep up with the calls.
 */
const rowsAtMost = 1000;

/** Bytes of one statement: room for so many rows with the usage objects that vendors send. */
const bytesAtMost = 1024 * 1024;

/** Full batches that wait for a database that is away or too slow; beyond this the oldest calls are lost. */
const batchesAtMost = 100;

/** Written ones that are filled again: new ones of this size would bring collections of the whole heap near. */
const spareAtMost = 4;

/** A full one is written soon. */
const fullWaitMs = 10;

/** Calls lie here at most this long. */
const closeMs = 500;

/** Keeps calls that have ended, many in one statement, off their path. */
export class CallLog implements CallKeeper, CallWriter, CallFinder {
  readonly #fork: CallLogDependencies["fork"];
  readonly #log: Logger;
  readonly #batches: BatchLog<WaitingTexts>;
  #open = new WaitingTexts();
  readonly #spare: WaitingTexts[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** That is there. */
  #knownDay: number | undefined;

  constructor({ fork, log }: CallLogDependencies) {
    this.#fork = fork;
    this.#log = log;
    this.#batches = new BatchLog({
      write: async ([rows]) => rows && this.#write(rows),
      log,
      what: "calls",
      rowsAtOnce: 1,
      waitingAtMost: batchesAtMost,
      waitMs: fullWaitMs,
    });
  }

  note(call: KeptCall): void {
    this.#open.add(keptCallLine(call));
    const isFull = this.#open.count >= rowsAtMost || this.#open.length >= bytesAtMost;
    if (isFull) this.#close();
    else this.#timer ??= setTimeout(() => void this.flush(), closeMs).unref();
  }

  async prepare(now: number): Promise<void> {
    const day = partitionDay(now);
    if (this.#knownDay === day) return;
    await addPartitions(this.#fork(), [now]);
    this.#knownDay = day;
  }

  async write(em: EntityManager, call: KeptCall): Promise<void> {
    await insertCallWithin(em, keptCallLine(call));
  }

  /** What this process has noted counts at once. */
  async modelOfResponse(accountId: string, responseId: string): Promise<string | undefined> {
    await this.flush();
    return findModelOfResponse(this.#fork(), accountId, responseId);
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
    this.#batches.note(this.#open);
    this.#open = this.#spare.pop() ?? new WaitingTexts();
  }

  async #write(rows: WaitingTexts): Promise<void> {
    await writeCalls(this.#fork, rows.toBytes(), this.#log);
    rows.clear();
    if (this.#spare.length < spareAtMost) this.#spare.push(rows);
  }
}

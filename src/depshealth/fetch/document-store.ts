import type { EntityManager } from "@mikro-orm/postgresql";
import type { Logger } from "pino";
import { BackgroundTasks } from "../../platform/background-tasks.ts";
import { CachedDocumentSchema, type CachedDocument } from "./cached-document.entity.ts";

export type StoredDocument = Readonly<CachedDocument>;

/** Where documents outlive the process, and meet those of other processes. */
export interface DocumentStore {
  /** What is stored under these keys; nothing when the store is away. */
  read(ids: readonly string[]): Promise<ReadonlyMap<string, StoredDocument>>;
  /**
   * Keeps a document soon; a failure costs nothing but the document, and so does a database
   * that does not keep up with what is written.
   */
  write(document: StoredDocument): void;
  /** Deletes what is kept no longer. */
  deleteExpired(now: number): Promise<void>;
  /** Resolves when all that was written is kept. */
  close(): Promise<void>;
}

interface PendingRead {
  readonly ids: readonly string[];
  readonly give: (found: ReadonlyMap<string, StoredDocument>) => void;
}

/** Rows of one statement, and characters of their documents: one row may have more. */
const batchSize = 100;
const batchCharacters = 4 * 1024 * 1024;
/** Characters of documents that wait to be written; further documents are dropped. */
const mostUnwritten = 32 * 1024 * 1024;

/**
 * Keeps documents in PostgreSQL. What is asked for within one turn of the event
 * loop is read with one statement, and what is written likewise. While the
 * database is away there is nothing in it, and nothing fails for that.
 */
export class DatabaseDocumentStore implements DocumentStore {
  readonly #fork: () => EntityManager;
  readonly #log: Logger;
  readonly #background: BackgroundTasks;
  #readings: PendingRead[] = [];
  #unwritten = new Map<string, StoredDocument>();
  #unwrittenCharacters = 0;
  #isWriting = false;

  constructor(fork: () => EntityManager, log: Logger) {
    this.#fork = fork;
    this.#log = log;
    this.#background = new BackgroundTasks(log);
  }

  read(ids: readonly string[]): Promise<ReadonlyMap<string, StoredDocument>> {
    return new Promise((give) => {
      this.#readings.push({ ids, give });
      if (this.#readings.length === 1) setImmediate(() => void this.#readAll());
    });
  }

  write(document: StoredDocument): void {
    const before = this.#unwritten.get(document.id);
    const waiting = this.#unwrittenCharacters - charactersOf(before) + charactersOf(document);
    if (waiting > mostUnwritten) return;
    this.#unwrittenCharacters = waiting;
    this.#unwritten.set(document.id, document);
    if (this.#isWriting) return;
    this.#isWriting = true;
    void this.#background.run("keeping what sources said", () => this.#writeAll());
  }

  async deleteExpired(now: number): Promise<void> {
    await this.#fork().nativeDelete(CachedDocumentSchema, { keptUntil: { $lte: new Date(now) } });
  }

  async close(): Promise<void> {
    await this.#background.waitForAll();
  }

  async #readAll(): Promise<void> {
    const readings = this.#readings;
    this.#readings = [];
    const found = await this.#find([...new Set(readings.flatMap(({ ids }) => ids))]);
    for (const { give } of readings) give(found);
  }

  async #find(ids: readonly string[]): Promise<ReadonlyMap<string, StoredDocument>> {
    try {
      const rows = await this.#fork().find(CachedDocumentSchema, { id: { $in: [...ids] } });
      return new Map(rows.map((row) => [row.id, row]));
    } catch (error) {
      this.#log.debug({ err: error }, "what sources said could not be read back");
      return new Map();
    }
  }

  async #writeAll(): Promise<void> {
    try {
      // Of what is written in this turn, one statement is made.
      await new Promise((resolve) => setImmediate(resolve));
      while (this.#unwritten.size > 0) await this.#writeSome();
    } finally {
      this.#isWriting = false;
    }
  }

  async #writeSome(): Promise<void> {
    const rows: StoredDocument[] = [];
    let characters = 0;
    for (const row of this.#unwritten.values()) {
      characters += charactersOf(row);
      if (rows.length === batchSize || (rows.length > 0 && characters > batchCharacters)) break;
      rows.push(row);
      this.#unwritten.delete(row.id);
      this.#unwrittenCharacters -= charactersOf(row);
    }
    await this.#fork().upsertMany(CachedDocumentSchema, rows);
  }
}

function charactersOf(row: StoredDocument | undefined): number {
  return row?.document?.length ?? 0;
}

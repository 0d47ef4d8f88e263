import type { EntityManager } from "@mikro-orm/postgresql";
import type { Logger } from "pino";
import { BackgroundTasks } from "../../platform/background-tasks.ts";
import { DataSourceDocumentEntity } from "./cached-document.entity.ts";
import {
  BatchedDataSourceDocumentReader,
  type StoredDataSourceDocument,
} from "./stored-document-reader.ts";

export type { StoredDataSourceDocument as StoredDocument } from "./stored-document-reader.ts";

/** Where documents outlive the process, and meet those of other processes. */
export interface DataSourceDocumentStore {
  /** What is stored under these keys; nothing when the store is away. */
  read(ids: readonly string[]): Promise<ReadonlyMap<string, StoredDataSourceDocument>>;
  /**
   * Keeps a document soon; a failure costs nothing but the document, and so does a database
   * that does not keep up with what is written.
   */
  write(document: StoredDataSourceDocument): void;
  /** Deletes what is kept no longer. */
  deleteExpired(now: number): Promise<void>;
  /** Resolves when all that was written is kept. */
  close(): Promise<void>;
}

/** Rows of one statement, and characters of their documents: one row may have more. */
const batchSize = 100;
const batchCharacters = 4 * 1024 * 1024;
/** Characters of documents that wait to be written; further documents are dropped. */
const mostUnwritten = 32 * 1024 * 1024;

/**
 * Keeps documents in PostgreSQL. What is written within one turn of the event loop is one
 * statement, up to a size. While the database is down it stores nothing, and nothing fails for
 * that.
 */
export class PostgresDataSourceDocumentStore implements DataSourceDocumentStore {
  readonly #fork: () => EntityManager;
  readonly #reader: BatchedDataSourceDocumentReader;
  readonly #background: BackgroundTasks;
  #unwritten = new Map<string, StoredDataSourceDocument>();
  #unwrittenCharacters = 0;
  #isWriting = false;

  constructor(fork: () => EntityManager, log: Logger) {
    this.#fork = fork;
    this.#reader = new BatchedDataSourceDocumentReader(fork, log);
    this.#background = new BackgroundTasks(log);
  }

  read(ids: readonly string[]): Promise<ReadonlyMap<string, StoredDataSourceDocument>> {
    return this.#reader.read(ids);
  }

  write(document: StoredDataSourceDocument): void {
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
    await this.#fork().nativeDelete(DataSourceDocumentEntity, {
      keptUntil: { $lte: new Date(now) },
    });
  }

  async close(): Promise<void> {
    await this.#background.waitForAll();
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
    const rows: StoredDataSourceDocument[] = [];
    let characters = 0;
    for (const row of this.#unwritten.values()) {
      characters += charactersOf(row);
      if (rows.length === batchSize || (rows.length > 0 && characters > batchCharacters)) break;
      rows.push(row);
      this.#unwritten.delete(row.id);
      this.#unwrittenCharacters -= charactersOf(row);
    }
    await this.#fork().upsertMany(DataSourceDocumentEntity, rows);
  }
}

function charactersOf(row: StoredDataSourceDocument | undefined): number {
  return row?.document?.length ?? 0;
}

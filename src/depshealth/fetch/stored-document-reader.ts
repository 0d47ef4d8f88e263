import { setImmediate as nextTurn } from "node:timers/promises";
import type { EntityManager } from "@mikro-orm/postgresql";
import type { Logger } from "pino";
import { KeyedConcurrencyLimiter } from "../../platform/keyed-limiter.ts";
import {
  DataSourceDocumentEntity,
  type PackageDataSourceDocument,
} from "./cached-document.entity.ts";

export type StoredDataSourceDocument = Readonly<PackageDataSourceDocument>;

type StoredDocuments = ReadonlyMap<string, StoredDataSourceDocument>;

interface PendingRead {
  readonly ids: readonly string[];
  readonly give: (found: StoredDocuments) => void;
}

interface SizedRead extends PendingRead {
  /** Size of its documents that are stored. */
  readonly bytes: number;
}

/** Bytes of documents that one statement reads; one caller alone may have asked for more. */
const maxPieceBytes = 4 * 1024 * 1024;

const selectSizes = `select "id", octet_length("document") as "bytes" from "dependency_cache"
where "id" in (select jsonb_array_elements_text(?::jsonb))`;

/**
 * Reads documents from PostgreSQL. Callers of one turn of the event loop share statements. Their
 * documents are read a few mebibytes at a time, and a caller receives its own before more are
 * read: an audit of many large documents would otherwise have the texts of all of them in memory.
 * Callers with the smallest documents come first.
 */
export class BatchedDataSourceDocumentReader {
  readonly #fork: () => EntityManager;
  readonly #log: Logger;
  readonly #pieces = new KeyedConcurrencyLimiter(1);
  #readings: PendingRead[] = [];

  constructor(fork: () => EntityManager, log: Logger) {
    this.#fork = fork;
    this.#log = log;
  }

  /** The stored documents by their ids; an empty map if the database is down. */
  read(ids: readonly string[]): Promise<StoredDocuments> {
    return new Promise((give) => {
      this.#readings.push({ ids, give });
      if (this.#readings.length === 1) setImmediate(() => void this.#readAll());
    });
  }

  async #readAll(): Promise<void> {
    const readings = this.#readings;
    this.#readings = [];
    const sizes = await this.#sizes(readings.flatMap(({ ids }) => ids));
    for (const piece of piecesOf(readings, sizes)) {
      await this.#pieces.run("", () => this.#readPiece(piece));
    }
  }

  async #readPiece(piece: readonly PendingRead[]): Promise<void> {
    const found = await this.#find(piece.flatMap(({ ids }) => ids));
    for (const { give } of piece) give(found);
    // The callers parse their documents now, so that the texts can be freed.
    await nextTurn();
  }

  /** Sizes of the stored documents by their ids, 0 for a row without a document. */
  async #sizes(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    try {
      const rows: readonly { readonly id: string; readonly bytes: number | null }[] =
        await this.#fork().execute(selectSizes, [JSON.stringify(ids)]);
      return new Map(rows.map(({ id, bytes }) => [id, bytes ?? 0]));
    } catch (error) {
      this.#reportFailure(error);
      return new Map();
    }
  }

  async #find(ids: readonly string[]): Promise<StoredDocuments> {
    if (ids.length === 0) return new Map();
    try {
      const rows = await this.#fork().find(DataSourceDocumentEntity, { id: { $in: [...ids] } });
      return new Map(rows.map((row) => [row.id, row]));
    } catch (error) {
      this.#reportFailure(error);
      return new Map();
    }
  }

  #reportFailure(error: unknown): void {
    this.#log.debug({ err: error }, "what sources said could not be read back");
  }
}

/** Groups callers, the smallest documents first, each with the ids that are stored. */
function piecesOf(
  readings: readonly PendingRead[],
  sizes: ReadonlyMap<string, number>,
): readonly (readonly SizedRead[])[] {
  const pieces: SizedRead[][] = [];
  let pieceBytes = 0;
  const sized = readings.map((reading) => withSize(reading, sizes));
  for (const reading of sized.toSorted((left, right) => left.bytes - right.bytes)) {
    const piece = pieces.at(-1);
    pieceBytes += reading.bytes;
    if (piece !== undefined && pieceBytes <= maxPieceBytes) {
      piece.push(reading);
    } else {
      pieces.push([reading]);
      pieceBytes = reading.bytes;
    }
  }
  return pieces;
}

function withSize({ ids, give }: PendingRead, sizes: ReadonlyMap<string, number>): SizedRead {
  const stored = ids.filter((id) => sizes.has(id));
  const bytes = stored.reduce((sum, id) => sum + (sizes.get(id) ?? 0), 0);
  return { ids: stored, give, bytes };
}

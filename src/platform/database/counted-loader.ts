import { estimateOpenedByteLength } from "../crypto/secret-box.ts";
import { ApiError } from "../errors.ts";
import type { MemoryReserver } from "../hold-memory.ts";
import { KeyedConcurrencyLimiter, maxWaitingWorkPerAccount } from "../keyed-limiter.ts";

/** The request that sealed content is loaded for. */
export interface MemoryAndAbortContext {
  /** Counts the bytes of the content. */
  readonly hold: MemoryReserver;
  /** Aborted when the caller has disconnected. */
  readonly signal: AbortSignal;
}

/** A row with sealed content. */
export interface SealedRow {
  /** Bytes of the content. */
  readonly bytes: number;
  /** Null if the content has more bytes than were asked for, or is null itself. */
  readonly sealed: string | null;
}

/** Small content is loaded with its size, uncounted. */
const smallBytes = 64 * 1024;

/** Large loads of one account at a time: each takes a connection that others wait for. */
const maxLoads = 2;

/**
 * Loads sealed content for requests of a few bytes. Large content is counted before it is
 * loaded, and loaded for each account a few at a time.
 */
export class MemoryLimitedContentLoader {
  readonly #loads = new KeyedConcurrencyLimiter(maxLoads, maxWaitingWorkPerAccount);

  /**
   * Returns the row with its content, if it has any. `select` reads the row, with its content if
   * that has at most so many bytes. Rejects with 429 when the account holds too much.
   */
  async load<Row extends SealedRow>(
    accountId: string,
    context: MemoryAndAbortContext,
    select: (maxBytes: number) => Promise<Row | undefined>,
  ): Promise<Row | undefined> {
    const row = await select(smallBytes);
    if (row === undefined || isLoaded(row)) return row;
    return this.#loads.run(accountId, () => loadLarge(row, context, select));
  }
}

async function loadLarge<Row extends SealedRow>(
  found: Row,
  { hold, signal }: MemoryAndAbortContext,
  select: (maxBytes: number) => Promise<Row | undefined>,
): Promise<Row | undefined> {
  let row: Row | undefined = found;
  // A row that was written in between may have more bytes than were counted.
  while (row !== undefined && !isLoaded(row)) {
    if (signal.aborted) throw disconnectedError();
    holdUpToShare(estimateOpenedByteLength(row.bytes), hold);
    row = await select(row.bytes);
  }
  return row;
}

/** Content that an account could store is loaded even if it is larger than the share of an account now. */
function holdUpToShare(bytes: number, hold: MemoryReserver): void {
  try {
    hold(bytes);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "request_too_large") throw error;
  }
}

function isLoaded({ bytes, sealed }: SealedRow): boolean {
  return sealed !== null || bytes === 0;
}

/** Sent to no one. */
function disconnectedError(): ApiError {
  return new ApiError("unavailable", "The caller has disconnected.");
}

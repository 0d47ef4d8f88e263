import type { JsonObject } from "../../dialect/json.ts";
import type { StoredJsonParseBudget } from "../../platform/stored-json-budget.ts";
import type { MemoryAndAbortContext } from "../../platform/database/counted-loader.ts";
import type { JsonStringifyCache } from "../../platform/json-texts.ts";

/** What is kept of one answer: enough to go on from it and to show it again. */
export interface StoredResponseContent {
  /** Items of the request, as sent; a text is one user message. */
  readonly input: readonly JsonObject[];
  /** The response object, as the caller got it. */
  readonly response: JsonObject;
  /** Its output with all that was thought, whether or not the caller asked to see it. */
  readonly output: readonly JsonObject[];
}

/** An answer to keep. */
export interface NewStoredResponse extends StoredResponseContent {
  readonly accountId: string;
  /** `resp_…`. */
  readonly id: string;
  readonly previousId: string | undefined;
  /** Has the JSON of what was already written for the caller. */
  readonly texts?: JsonStringifyCache;
}

/** Turns of responses callers on upstreams that keep no state. */
export interface StoredResponses {
  /** Whether anything is kept at all (`retention.responses_days`). */
  readonly isEnabled: boolean;
  /**
   * All items up to and with this response, oldest first; undefined: it, or one before it, is not
   * kept. Rejects with 400 if the response is not finished, with 413 if they have more than 32 MiB
   * or more JSON values than the budget has left, or with what `hold` throws.
   */
  conversation(
    accountId: string,
    id: string,
    budget: StoredJsonParseBudget,
  ): Promise<readonly JsonObject[] | undefined>;
  /** Kept items by their ids; those that are not kept are left out. Rejects like `conversation`. */
  items(
    accountId: string,
    ids: readonly string[],
    budget: StoredJsonParseBudget,
  ): Promise<ReadonlyMap<string, JsonObject>>;
  /** Rejects with 503 `unavailable` while the database is away. */
  store(turn: NewStoredResponse): Promise<void>;
  /** Whether a response is kept. */
  has(accountId: string, id: string): Promise<boolean>;
  /** Returns one part of a response, or undefined if it is not stored. Rejects with what `hold` throws. */
  find<Part extends keyof StoredResponseContent>(
    accountId: string,
    id: string,
    part: Part,
    context: MemoryAndAbortContext,
  ): Promise<StoredResponseContent[Part] | undefined>;
  /** False: there was none. */
  delete(accountId: string, id: string): Promise<boolean>;
}

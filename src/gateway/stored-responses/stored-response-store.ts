import type { EntityManager } from "@mikro-orm/postgresql";
import type { JsonObject } from "../../dialect/json.ts";
import { unfinishedPreviousResponseError } from "../../dialect/responses/missing-stored.ts";
import type { StoredJsonParseBudget } from "../../platform/stored-json-budget.ts";
import { maxJsonValues } from "../../dialect/value-limit.ts";
import type { Clock } from "../../platform/clock.ts";
import {
  estimateOpenedByteLength,
  estimateSealedByteLength,
  type SealedValueBinding,
  type SecretBox,
} from "../../platform/crypto/secret-box.ts";
import {
  MemoryLimitedContentLoader,
  type MemoryAndAbortContext,
  type SealedRow,
} from "../../platform/database/counted-loader.ts";
import { toDatabaseUnavailableError } from "../../platform/database/database-unavailable.ts";
import {
  toStorableText,
  toStorableStatementParameter,
} from "../../platform/database/storable-text.ts";
import { splitJsonMembers } from "../../platform/json-splice/split-members.ts";
import { canBeResourceId } from "../../platform/ids.ts";
import { JsonStringifyCache } from "../../platform/json-texts.ts";
import { KeyedConcurrencyLimiter, maxWaitingWorkPerAccount } from "../../platform/keyed-limiter.ts";
import { mapWithPauses } from "../../platform/map-with-pauses.ts";
import { ApiError } from "../../platform/errors.ts";
import { StoredResponseEntity, type StoredResponse } from "./stored-response.entity.ts";
import type { MemoryReserver } from "../../platform/hold-memory.ts";
import type {
  StoredResponseContent,
  StoredResponses,
  NewStoredResponse,
} from "./stored-responses.ts";

const table = "kept_responses";
const column = "content";

/** What `causeway keys rewrap` moves to another master key. */
export const responseSealedColumns = [{ table, column, rowId: "id" }];

/** A conversation of more turns than this is not walked. */
const maxChainLength = 2000;

/** MiB of all responses that one call may refer to: as much as vendors take in one request. */
const maxLoadedMib = 32;

/** Characters of an id that an item can be referred to by. */
const maxItemIdLength = 256;

const maxSealedBytes = estimateSealedByteLength(maxLoadedMib * 1024 * 1024);

const millisecondsPerDay = 24 * 60 * 60_000;

export interface StoredResponseStoreDependencies {
  readonly fork: () => EntityManager;
  readonly box: SecretBox;
  readonly clock: Clock;
  /** 0: nothing is kept. */
  readonly days: number;
  /** Whether the account has a turn of this id that waits or runs: it is stored when it ends. */
  readonly isRunning: (accountId: string, id: string) => Promise<boolean>;
}

type Row = Pick<StoredResponse, "id" | "content">;

/** `bytes` are those of all rows of the result. Their content is null if it is too much to load. */
type SizedRow = Pick<Row, "id"> & {
  readonly content: Row["content"] | null;
  readonly bytes: number;
};

/** Kept responses in the database, sealed and per account. */
export class StoredResponseStore implements StoredResponses {
  readonly #dependencies: StoredResponseStoreDependencies;

  /** A request of a few bytes may load 32 MiB, over a connection that others wait for. */
  readonly #loads = new KeyedConcurrencyLimiter(2, maxWaitingWorkPerAccount);

  readonly #loader = new MemoryLimitedContentLoader();

  constructor(dependencies: StoredResponseStoreDependencies) {
    this.#dependencies = dependencies;
  }

  get isEnabled(): boolean {
    return this.#dependencies.days > 0;
  }

  async conversation(
    accountId: string,
    id: string,
    budget: StoredJsonParseBudget,
  ): Promise<readonly JsonObject[] | undefined> {
    if (!canBeResourceId(id)) return undefined;
    const rows = await this.#loads.run(accountId, () => this.#chain(accountId, id));
    const isWhole = rows.length > 0 && rows.at(-1)?.previous_id === null;
    if (!isWhole) {
      if (await this.#dependencies.isRunning(accountId, id))
        throw unfinishedPreviousResponseError(id);
      return undefined;
    }
    const items = await this.#openItems(rows.toReversed(), "previous_response_id", budget);
    return items.flat();
  }

  async items(
    accountId: string,
    ids: readonly string[],
    budget: StoredJsonParseBudget,
  ): Promise<ReadonlyMap<string, JsonObject>> {
    const wanted = new Set(ids);
    const found = await this.#loads.run(accountId, () => this.#holders(accountId, [...wanted]));
    const items = (await this.#openItems(found, "input", budget)).flat();
    return new Map(items.flatMap((item) => (isNamed(item, wanted) ? [[item.id, item]] : [])));
  }

  async store(turn: NewStoredResponse): Promise<void> {
    const { id, accountId, previousId, itemIds, content, createdAt, expiresAt } =
      await this.#row(turn);
    const row = [id, accountId, previousId, itemIds, content, createdAt, expiresAt];
    await insertRow(this.#dependencies.fork(), row).catch(rejectUnavailable);
  }

  /** The same inside a transaction. */
  async storeInTransaction(em: EntityManager, turn: NewStoredResponse): Promise<void> {
    await em.upsert(StoredResponseEntity, await this.#row(turn), { onConflictAction: "ignore" });
  }

  async has(accountId: string, id: string): Promise<boolean> {
    return (await this.#select(accountId, id, 0)) !== undefined;
  }

  async find<Part extends keyof StoredResponseContent>(
    accountId: string,
    id: string,
    part: Part,
    context: MemoryAndAbortContext,
  ): Promise<StoredResponseContent[Part] | undefined> {
    const row = await this.#loader.load(accountId, context, (maxBytes) =>
      this.#select(accountId, id, maxBytes),
    );
    const content = row?.sealed ?? undefined;
    if (content === undefined) return undefined;
    const json = this.#open({ id: toStorableText(id), content }).get(part);
    return json && (JSON.parse(json.toString()) as StoredResponseContent[Part]);
  }

  async delete(accountId: string, id: string): Promise<boolean> {
    const count = await this.#dependencies
      .fork()
      .nativeDelete(StoredResponseEntity, { id, accountId, ...this.#alive() });
    return count > 0;
  }

  async #select(accountId: string, id: string, maxBytes: number): Promise<SealedRow | undefined> {
    const [row] = await this.#dependencies
      .fork()
      .execute<SealedRow[]>(
        `select octet_length("content")::float8 as "bytes",
           case when octet_length("content") <= ? then "content" end as "sealed"
         from "kept_responses" where "id" = ? and "account_id" = ? and "expires_at" > ?`,
        [maxBytes, id, accountId, this.#now()],
      )
      .catch(rejectUnavailable);
    return row;
  }

  async #row(turn: NewStoredResponse): Promise<StoredResponse> {
    const { accountId, previousId } = turn;
    const { box, clock, days } = this.#dependencies;
    // The id of an upstream may hold anything; the content is sealed for the row as it is stored.
    const id = toStorableText(turn.id);
    const now = clock.now();
    return {
      id,
      accountId,
      previousId: previousId ?? null,
      itemIds: itemsOf(turn).flatMap((item) => (isReferable(item) ? [item.id] : [])),
      content: await box.sealPieces(contentPieces(turn), binding(id)),
      createdAt: new Date(now),
      expiresAt: new Date(now + days * millisecondsPerDay),
    };
  }

  #alive() {
    return { expiresAt: { $gt: new Date(this.#dependencies.clock.now()) } };
  }

  /** The response and those before it, newest first, in one statement. */
  #chain(accountId: string, id: string): Promise<(SizedRow & { previous_id: string | null })[]> {
    const rows = this.#dependencies.fork().execute<(SizedRow & { previous_id: string | null })[]>(
      `with recursive "chain" as (
         select "id", "previous_id", octet_length("content") as "size", 1 as "place"
         from "kept_responses"
         where "id" = ? and "account_id" = ? and "expires_at" > ?
         union all
         select "kept"."id", "kept"."previous_id", octet_length("kept"."content"), "chain"."place" + 1
         from "kept_responses" "kept" join "chain" on "kept"."id" = "chain"."previous_id"
         where "kept"."account_id" = ? and "chain"."place" < ?
       ), "whole" as (select sum("size")::float8 as "bytes" from "chain")
       select "chain"."id", "chain"."previous_id", "whole"."bytes",
         case when "whole"."bytes" <= ? then "kept"."content" end as "content"
       from "whole", "chain" join "kept_responses" "kept" on "kept"."id" = "chain"."id"
       order by "chain"."place"`,
      [id, accountId, this.#now(), accountId, maxChainLength, maxSealedBytes],
    );
    return rows.catch(rejectUnavailable);
  }

  /**
   * For each item one response that has it, in one statement. The responses are looked for once
   * and not for each item: those of others may have ten thousands of items, which a planner that
   * finds few rows reads every time.
   */
  #holders(accountId: string, ids: string[]): Promise<SizedRow[]> {
    const wanted = `array[${ids.map(() => "?").join(", ")}]::text[]`;
    const rows = this.#dependencies.fork().execute<SizedRow[]>(
      `with "found" as (
         select distinct "holder"."id", "holder"."size" from (
           select distinct on ("has"."item") "kept"."id", octet_length("kept"."content") as "size"
           from "kept_responses" "kept", unnest("kept"."item_ids") as "has" ("item")
             join unnest(${wanted}) as "wanted" ("item") on "wanted"."item" = "has"."item"
           where "kept"."account_id" = ? and "kept"."expires_at" > ? and "kept"."item_ids" && ${wanted}
           order by "has"."item", "kept"."created_at", "kept"."id"
         ) "holder"
       ), "whole" as (select sum("size")::float8 as "bytes" from "found")
       select "found"."id", "whole"."bytes",
         case when "whole"."bytes" <= ? then "kept"."content" end as "content"
       from "whole", "found" join "kept_responses" "kept" on "kept"."id" = "found"."id"`,
      [...ids, accountId, this.#now(), ...ids, maxSealedBytes],
    );
    return rows.catch(rejectUnavailable);
  }

  #now(): Date {
    return new Date(this.#dependencies.clock.now());
  }

  /** Opens the items of each row, with pauses between them. Throws 413, or what `hold` throws. */
  #openItems(
    rows: readonly SizedRow[],
    param: string,
    budget: StoredJsonParseBudget,
  ): Promise<(readonly JsonObject[])[]> {
    const loaded = assertLoaded(rows, param, budget.hold);
    const tooMany = () =>
      tooMuchStoredError(`${maxJsonValues.toLocaleString("en-US")} JSON values`, param);
    const parse = (json: Buffer | undefined) =>
      json === undefined ? [] : (budget.parse(json, tooMany) as readonly JsonObject[]);
    return mapWithPauses(
      loaded,
      ({ content }) => content.length,
      ({ id, content }) => {
        const members = this.#open({ id, content });
        return [...parse(members.get("input")), ...parse(members.get("output"))];
      },
    );
  }

  /** JSON of the parts of a row. */
  #open({ id, content }: Row): ReadonlyMap<string, Buffer> {
    return splitJsonMembers(this.#dependencies.box.openBytes(content, binding(id)));
  }
}

/** Returns the rows. Throws 413 if they were too much to load, or what `hold` throws. */
function assertLoaded<Sized extends SizedRow>(
  rows: readonly Sized[],
  param: string,
  hold: MemoryReserver,
): (Sized & Row)[] {
  const loaded = rows.flatMap((row) =>
    row.content === null ? [] : [{ ...row, content: row.content }],
  );
  if (loaded.length < rows.length) {
    throw tooMuchStoredError(`${maxLoadedMib} MiB`, param);
  }
  hold(estimateOpenedByteLength(rows[0]?.bytes ?? 0));
  return loaded;
}

function tooMuchStoredError(limit: string, param: string): ApiError {
  const message = `The stored responses that this call refers to have more than ${limit}. Refer to fewer, or compact the conversation.`;
  return new ApiError("request_too_large", message, { param });
}

/** Deletes what has passed its time. To be called now and then, by any process. */
export async function deleteExpiredResponses(em: EntityManager, now: number): Promise<void> {
  await em.nativeDelete(StoredResponseEntity, { expiresAt: { $lte: new Date(now) } });
}

/** Deletes what an account has; it is being deleted itself. */
export async function eraseStoredResponses(em: EntityManager, accountId: string): Promise<void> {
  await em.nativeDelete(StoredResponseEntity, { accountId });
}

/** The JSON of `StoredResponseContent`. */
function* contentPieces({
  input,
  response,
  output,
  texts = new JsonStringifyCache(),
}: NewStoredResponse): Iterable<string> {
  yield `{"input":${JSON.stringify(input)},"response":`;
  yield* texts.pieces(response);
  yield `,"output":`;
  yield texts.of(output);
  yield "}";
}

function itemsOf({ input, output }: StoredResponseContent): readonly JsonObject[] {
  return [...input, ...output];
}

/** Whether the item is found by its id: PostgreSQL takes no longer ones into an index. */
function isReferable(item: JsonObject): item is JsonObject & { readonly id: string } {
  return hasId(item) && item.id.length <= maxItemIdLength;
}

function hasId(item: JsonObject): item is JsonObject & { readonly id: string } {
  return typeof item["id"] === "string";
}

function isNamed(
  item: JsonObject,
  ids: ReadonlySet<string>,
): item is JsonObject & { readonly id: string } {
  return hasId(item) && ids.has(item.id);
}

function binding(row: string): SealedValueBinding {
  return { table, row, column };
}

/**
 * Past the mapper, which would write the content letter by letter into the text of the
 * statement. A vendor's ids may come again: the turn that has one stays what it was.
 */
async function insertRow(em: EntityManager, row: readonly unknown[]): Promise<void> {
  const pool = await em.getConnection().getNativeClient();
  await pool.query(
    `insert into "kept_responses"
       ("id", "account_id", "previous_id", "item_ids", "content", "created_at", "expires_at")
     values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
    row.map(toStorableStatementParameter),
  );
}

/** A call that goes on from a kept turn is refused with 503 while the database is away. */
function rejectUnavailable(error: unknown): never {
  throw toDatabaseUnavailableError(error) ?? error;
}

import type { EntityManager } from "@mikro-orm/postgresql";
import type { JsonObject } from "../../dialect/json.ts";
import type { Clock } from "../../platform/clock.ts";
import type { SealBinding, SecretBox } from "../../platform/crypto/secret-box.ts";
import { databaseUnavailable } from "../../platform/database/database-unavailable.ts";
import { KeptResponseSchema, type KeptResponse } from "./kept-response.entity.ts";
import type { KeptContent, KeptTurns, TurnToKeep } from "./kept-turns.ts";

const table = "kept_responses";
const column = "content";

/** What `causeway keys rewrap` moves to another master key. */
export const responseSealedColumns = [{ table, column, rowId: "id" }];

/** A conversation of more turns than this is not walked. */
const turnsAtMost = 2000;

const millisecondsPerDay = 24 * 60 * 60_000;

export interface KeptResponseDependencies {
  readonly fork: () => EntityManager;
  readonly box: SecretBox;
  readonly clock: Clock;
  /** 0: nothing is kept. */
  readonly days: number;
}

type Row = Pick<KeptResponse, "id" | "content">;
type ChainRow = Row & { previous_id: string | null };

/** Kept responses in the database, sealed and per account. */
export class KeptResponseStore implements KeptTurns {
  readonly #dependencies: KeptResponseDependencies;

  constructor(dependencies: KeptResponseDependencies) {
    this.#dependencies = dependencies;
  }

  get isOn(): boolean {
    return this.#dependencies.days > 0;
  }

  async conversation(accountId: string, id: string): Promise<readonly JsonObject[] | undefined> {
    const rows = await this.#chain(accountId, id);
    const isWhole = rows.length > 0 && rows.at(-1)?.previous_id === null;
    if (!isWhole) return undefined;
    return rows.toReversed().flatMap((row) => itemsOf(this.#open(row)));
  }

  async items(accountId: string, ids: readonly string[]): Promise<ReadonlyMap<string, JsonObject>> {
    const wanted = new Set(ids);
    const rows = await this.#dependencies
      .fork()
      .find(
        KeptResponseSchema,
        { accountId, itemIds: { $overlap: [...ids] }, ...this.#alive() },
        { disableIdentityMap: true },
      )
      .catch(refuse);
    const items = rows.flatMap((row) => itemsOf(this.#open(row)));
    return new Map(items.flatMap((item) => (isNamed(item, wanted) ? [[item.id, item]] : [])));
  }

  async keep(turn: TurnToKeep): Promise<void> {
    const { id, accountId, previousId, itemIds, content, createdAt, expiresAt } = this.#row(turn);
    const row = [id, accountId, previousId, itemIds, content, createdAt, expiresAt];
    await insertRow(this.#dependencies.fork(), row).catch(refuse);
  }

  /** The same inside a transaction. */
  async keepWithin(em: EntityManager, turn: TurnToKeep): Promise<void> {
    await em.upsert(KeptResponseSchema, this.#row(turn), { onConflictAction: "ignore" });
  }

  async find(accountId: string, id: string): Promise<KeptContent | undefined> {
    const row = await this.#dependencies
      .fork()
      .findOne(KeptResponseSchema, { id, accountId, ...this.#alive() });
    return row === null ? undefined : this.#open(row);
  }

  async delete(accountId: string, id: string): Promise<boolean> {
    const count = await this.#dependencies
      .fork()
      .nativeDelete(KeptResponseSchema, { id, accountId, ...this.#alive() });
    return count > 0;
  }

  #row({ accountId, id, previousId, input, response, output }: TurnToKeep): KeptResponse {
    const { box, clock, days } = this.#dependencies;
    const now = clock.now();
    const content: KeptContent = { input, response, output };
    return {
      id,
      accountId,
      previousId: previousId ?? null,
      itemIds: itemsOf(content).flatMap((item) => (hasId(item) ? [item.id] : [])),
      content: box.seal(JSON.stringify(content), binding(id)),
      createdAt: new Date(now),
      expiresAt: new Date(now + days * millisecondsPerDay),
    };
  }

  #alive() {
    return { expiresAt: { $gt: new Date(this.#dependencies.clock.now()) } };
  }

  /** The response and those before it, newest first, in one statement. */
  #chain(accountId: string, id: string): Promise<ChainRow[]> {
    const rows = this.#dependencies.fork().execute<ChainRow[]>(
      `with recursive "chain" as (
         select "id", "previous_id", "content", 1 as "place" from "kept_responses"
         where "id" = ? and "account_id" = ? and "expires_at" > ?
         union all
         select "kept"."id", "kept"."previous_id", "kept"."content", "chain"."place" + 1
         from "kept_responses" "kept" join "chain" on "kept"."id" = "chain"."previous_id"
         where "kept"."account_id" = ? and "chain"."place" < ?
       )
       select "id", "previous_id", "content" from "chain" order by "place"`,
      [id, accountId, new Date(this.#dependencies.clock.now()), accountId, turnsAtMost],
    );
    return rows.catch(refuse);
  }

  #open({ id, content }: Row): KeptContent {
    return JSON.parse(this.#dependencies.box.open(content, binding(id))) as KeptContent;
  }
}

/** Deletes what has passed its time. To be called now and then, by any process. */
export async function deleteExpiredResponses(em: EntityManager, now: number): Promise<void> {
  await em.nativeDelete(KeptResponseSchema, { expiresAt: { $lte: new Date(now) } });
}

/** Deletes what an account has; it is being deleted itself. */
export async function eraseKeptResponses(em: EntityManager, accountId: string): Promise<void> {
  await em.nativeDelete(KeptResponseSchema, { accountId });
}

function itemsOf({ input, output }: KeptContent): readonly JsonObject[] {
  return [...input, ...output];
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

function binding(row: string): SealBinding {
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
    [...row],
  );
}

/** A call that goes on from a kept turn is refused with 503 while the database is away. */
function refuse(error: unknown): never {
  throw databaseUnavailable(error) ?? error;
}

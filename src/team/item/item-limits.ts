import type { EntityManager } from "@mikro-orm/postgresql";
import { takeAdvisoryLock } from "../../platform/database/advisory-lock.ts";
import { invalidRequestError, type ApiError } from "../../platform/errors.ts";
import type { AgentExtension } from "./item.entity.ts";

/** Items of a person, and items in a pool. */
const maxItems = 500;
/** MiB of the fields of these items together. */
const maxItemsMib = 16;
const maxItemsBytes = maxItemsMib * 1024 * 1024;

/** Columns of an item that its person decides the length of. */
const itemColumns = ["name", "url", "headers", "description", "text", "tools"] as const;

export type AgentExtensionColumn = (typeof itemColumns)[number];

/**
 * Returns SQL for the bytes of a column of an item of the table `i`. PostgreSQL knows the length
 * of a text without reading it.
 */
export function agentExtensionColumnBytesSql(column: AgentExtensionColumn): string {
  return column === "tools"
    ? `octet_length(array_to_string(i."tools", ''))`
    : `coalesce(octet_length(i."${column}"), 0)`;
}

const itemBytesSql = itemColumns.map(agentExtensionColumnBytesSql).join(" + ");

const usageColumns = `count(*)::int as "count", coalesce(sum(${itemBytesSql}), 0)::float8 as "bytes"`;

/** Returns the bytes of the fields of items together. */
export async function countAgentExtensionBytes(
  em: EntityManager,
  ids: readonly string[],
): Promise<number> {
  const [usage] = await em.execute<ItemUsage[]>(
    `select ${usageColumns} from "items" i
     where i."id" in (select json_array_elements_text(?::json))`,
    [JSON.stringify(ids)],
  );
  return usage?.bytes ?? 0;
}

/** Bytes by field. */
export type AgentExtensionFieldBytes = ReadonlyMap<AgentExtensionColumn, number>;

/** Returns the bytes of the fields of an item, as the SQL counts them. */
export function measureAgentExtensionFields(row: AgentExtension): AgentExtensionFieldBytes {
  const { name, url, headers, description, text } = row;
  const texts = { name, url, headers, description, text, tools: row.tools.join("") };
  const sizes = Object.entries(texts).map(
    ([field, value]) => [field as AgentExtensionColumn, Buffer.byteLength(value ?? "")] as const,
  );
  return new Map(sizes);
}

/**
 * Lets one transaction at a time add to the items of a person, until the transaction of `em` ends.
 * Call it before the items are locked.
 */
export async function lockAgentExtensionCreation(
  em: EntityManager,
  accountId: string,
): Promise<void> {
  await takeAdvisoryLock(em, `items of ${accountId}`);
}

/** Throws 400 if its owner has no room for a new item. The usage is locked. */
export async function assertRoomForNewAgentExtension(
  em: EntityManager,
  row: AgentExtension,
): Promise<void> {
  const usage = await readOwnUsage(em, row.accountId);
  if (usage.count >= maxItems) throw tooManyItemsError("kind", "A person");
  const { field, bytes } = findGrowth(measureAgentExtensionFields(row), new Map());
  if (usage.bytes + bytes > maxItemsBytes) throw itemsTooLargeError(field, "a person");
}

/**
 * Throws 400 if an item has grown and its owner, or a pool that has it, has no room for that. The
 * usage is locked. `before`: the fields as they are stored.
 */
export async function assertRoomForAgentExtensionGrowth(
  em: EntityManager,
  row: AgentExtension,
  before: AgentExtensionFieldBytes,
): Promise<void> {
  const { field, bytes } = findGrowth(measureAgentExtensionFields(row), before);
  if (bytes <= 0) return;
  const own = await readOwnUsage(em, row.accountId);
  if (own.bytes + bytes > maxItemsBytes) throw itemsTooLargeError(field, "a person");
  const pooled = await readLargestPoolBytes(em, row.id);
  if (pooled + bytes > maxItemsBytes)
    throw itemsTooLargeError(field, "a pool, which this item is in,");
}

/** Room in the pool of a team, which is locked. */
export class AgentExtensionPoolCapacity {
  readonly #sizes: ReadonlyMap<string, number>;
  #count: number;
  #bytes: number;

  private constructor(usage: ItemUsage, sizes: ReadonlyMap<string, number>) {
    this.#sizes = sizes;
    this.#count = usage.count;
    this.#bytes = usage.bytes;
  }

  /** Reads what a pool has, and how large the items are that are to be added. */
  static async read(
    em: EntityManager,
    teamId: string,
    itemIds: readonly string[],
  ): Promise<AgentExtensionPoolCapacity> {
    const usage = await readUsage(
      em,
      `from "pooled_items" p join "items" i on i."id" = p."item_id"
       where p."account_id" = ? and p."removed_at" is null`,
      teamId,
    );
    const sizes = await em.execute<{ id: string; bytes: number }[]>(
      `select i."id", (${itemBytesSql})::float8 as "bytes" from "items" i
       where i."id" in (select json_array_elements_text(?::json))`,
      [JSON.stringify(itemIds)],
    );
    return new AgentExtensionPoolCapacity(
      usage,
      new Map(sizes.map(({ id, bytes }) => [id, bytes])),
    );
  }

  /** Takes room for an item. Returns the error, with `item_id` as `param`, if it is full. */
  take(itemId: string): ApiError | undefined {
    const bytes = this.#sizes.get(itemId) ?? 0;
    if (this.#count >= maxItems) return tooManyItemsError("item_id", "A pool");
    if (this.#bytes + bytes > maxItemsBytes) return itemsTooLargeError("item_id", "a pool");
    this.#count += 1;
    this.#bytes += bytes;
    return undefined;
  }
}

interface ItemUsage {
  readonly count: number;
  readonly bytes: number;
}

function readOwnUsage(em: EntityManager, accountId: string): Promise<ItemUsage> {
  return readUsage(
    em,
    `from "items" i where i."account_id" = ? and i."deleted_at" is null`,
    accountId,
  );
}

async function readUsage(em: EntityManager, from: string, id: string): Promise<ItemUsage> {
  const [usage] = await em.execute<ItemUsage[]>(`select ${usageColumns} ${from}`, [id]);
  return usage ?? { count: 0, bytes: 0 };
}

/** Bytes of the largest pool that has an item. */
async function readLargestPoolBytes(em: EntityManager, itemId: string): Promise<number> {
  const [largest] = await em.execute<{ bytes: number }[]>(
    `select sum(${itemBytesSql})::float8 as "bytes"
     from "pooled_items" p join "items" i on i."id" = p."item_id"
     where p."removed_at" is null and p."account_id" in (
       select "account_id" from "pooled_items" where "item_id" = ? and "removed_at" is null)
     group by p."account_id" order by 1 desc limit 1`,
    [itemId],
  );
  return largest?.bytes ?? 0;
}

/** The bytes that were added, and the field that has most of them. */
function findGrowth(
  after: AgentExtensionFieldBytes,
  before: AgentExtensionFieldBytes,
): { readonly field: AgentExtensionColumn; readonly bytes: number } {
  const growths = [...after].map(
    ([field, bytes]) => ({ field, bytes: bytes - (before.get(field) ?? 0) }) as const,
  );
  const [largest] = growths.toSorted((one, other) => other.bytes - one.bytes);
  const bytes = growths.reduce((sum, growth) => sum + growth.bytes, 0);
  return { field: largest?.field ?? "text", bytes };
}

function tooManyItemsError(param: string, owner: string): ApiError {
  const remedy = param === "kind" ? "Delete one with DELETE /v1/items/{id}" : "Take one out";
  return invalidRequestError(
    param,
    `${owner} may have at most ${maxItems} items. ${remedy} first.`,
  );
}

function itemsTooLargeError(param: string, owner: string): ApiError {
  return invalidRequestError(
    param,
    `The items of ${owner} may have at most ${maxItemsMib} MiB together. Shorten or remove some first.`,
  );
}

import type { EntityManager } from "@mikro-orm/postgresql";
import type { AgentExtensionOwner } from "../../domain/agent-turn.ts";
import type { AgentExtensionKind } from "../pooled-items.ts";
import { agentExtensionColumnBytesSql, type AgentExtensionColumn } from "./item-limits.ts";
import type { AgentExtension } from "./item.entity.ts";

/** An item with the columns that were asked for; the others are absent. */
export type AgentExtensionRow = Pick<AgentExtension, "id"> &
  Partial<Pick<AgentExtension, AgentExtensionColumn | "approval">>;

/** Which items of an agent are read, and what of them. */
export interface AgentExtensionQuery {
  readonly kind: AgentExtensionKind;
  readonly columns: readonly (AgentExtensionColumn | "approval")[];
  /** These items only; absent: all. */
  readonly ids?: readonly string[];
}

/**
 * Reads items of a person, and then items of the pools, in the order in which the teams were
 * joined and the items were pooled.
 */
export async function findAgentExtensions(
  em: EntityManager,
  owner: AgentExtensionOwner,
  query: AgentExtensionQuery,
): Promise<AgentExtensionRow[]> {
  const columns = ["id", ...query.columns].map((column) => `i."${column}"`).join(", ");
  return em.execute<AgentExtensionRow[]>(
    `with ${foundItems}
     select ${columns} ${inOrder}`,
    parametersOf(owner, query),
  );
}

/** An item, and the bytes of its columns. */
export interface AgentExtensionSize {
  readonly id: string;
  readonly bytes: number;
}

/** Returns the items that `findAgentExtensions` finds, in the same order, with what it loads of them. */
export async function listAgentExtensionSizes(
  em: EntityManager,
  owner: AgentExtensionOwner,
  query: AgentExtensionQuery,
): Promise<AgentExtensionSize[]> {
  const sizes = query.columns
    .filter((column) => column !== "approval")
    .map(agentExtensionColumnBytesSql);
  return em.execute<AgentExtensionSize[]>(
    `with ${foundItems}
     select i."id", (${sizes.join(" + ")})::float8 as "bytes" ${inOrder}`,
    parametersOf(owner, query),
  );
}

/** Whether there is an item of a kind. */
export async function hasAccountAgentExtensions(
  em: EntityManager,
  owner: AgentExtensionOwner,
  kind: AgentExtensionKind,
): Promise<boolean> {
  const rows = await em.execute<unknown[]>(
    `with ${foundItems} select 1 from found limit 1`,
    parametersOf(owner, { kind }),
  );
  return rows.length > 0;
}

/**
 * The items of one kind, each at the first of its places. A pool gives its items to confirmed
 * members only.
 */
const foundItems = `
  asked as (select ?::text as "person", ?::text as "team", ?::text as "user", ?::text as "kind", ?::json as "ids"),
  places as (
    select i."id" as "item_id", false as "is_pooled", null::timestamptz as "joined_at",
           '' as "team_id", i."created_at" as "at"
    from asked a join "items" i on i."account_id" = a."person" and i."kind" = a."kind"
    where i."deleted_at" is null and (a."ids" is null or i."id" in (select json_array_elements_text(a."ids")))
    union all
    select i."id", true, m."joined_at", m."team_id", p."pooled_at"
    from asked a
    join "team_members" m on m."user_id" = a."user" and m."left_at" is null
    join "teams" t on t."id" = m."team_id" and t."deleted_at" is null
    join "pooled_items" p on p."account_id" = t."id" and p."removed_at" is null
    join "items" i on i."id" = p."item_id" and i."kind" = a."kind" and i."deleted_at" is null
    where (a."team" is null or t."id" = a."team")
      and (a."ids" is null or i."id" in (select json_array_elements_text(a."ids")))
      and m."confirmed"
  ),
  found as (
    select distinct on ("item_id") * from places
    order by "item_id", "is_pooled", "joined_at", "team_id"
  )`;

const inOrder = `from found f join "items" i on i."id" = f."item_id"
  order by f."is_pooled", f."joined_at", f."team_id", f."at", f."item_id"`;

/** A person has items of its own; a team key is for one team. */
function parametersOf(
  { accountId, userId }: AgentExtensionOwner,
  { kind, ids }: Pick<AgentExtensionQuery, "kind" | "ids">,
): unknown[] {
  const isPerson = accountId === userId;
  return [
    isPerson ? userId : null,
    isPerson ? null : accountId,
    userId,
    kind,
    ids === undefined ? null : JSON.stringify(ids),
  ];
}

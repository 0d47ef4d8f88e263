import { LockMode, type EntityManager } from "@mikro-orm/postgresql";
import { recordAudit, type AuditActor, type AuditRecord } from "../../domain/audit/audit.ts";
import { notFoundError, type ApiError } from "../../platform/errors.ts";
import { buildPooledAgentExtensionAuditDetails } from "./item-details.ts";
import { AgentExtensionPoolCapacity } from "./item-limits.ts";
import { AgentExtensionEntity, type AgentExtension } from "./item.entity.ts";
import { PooledAgentExtensionEntity, type PooledAgentExtension } from "./pooled-item.entity.ts";

/**
 * Puts items into a team's pool, at its end. One that is there already stays
 * where it is. `onFull`: called with the error for an item that the pool has no room for,
 * which stays out. The team and the items are locked: a row of a pool is written under the
 * lock of its item, and a team's lock, where it is needed, comes before.
 */
export async function addAgentExtensionsToTeamPool(
  em: EntityManager,
  actor: AuditActor,
  teamId: string,
  items: readonly AgentExtension[],
  onFull: (error: ApiError) => void,
): Promise<void> {
  const ids = items.map(({ id }) => id);
  const where = { accountId: teamId, item: { $in: ids } };
  const known = await em.find(PooledAgentExtensionEntity, where, { refresh: true });
  const rowOf = new Map(known.map((row) => [row.item.id, row]));
  const room = await AgentExtensionPoolCapacity.read(em, teamId, ids);
  for (const item of items) {
    const row = rowOf.get(item.id);
    if (row?.removedAt === null) continue;
    const error = room.take(item.id);
    if (error === undefined) add(em, actor, teamId, item, row);
    else onFull(error);
  }
}

function add(
  em: EntityManager,
  actor: AuditActor,
  teamId: string,
  item: AgentExtension,
  row: PooledAgentExtension | undefined,
): void {
  const fields = { ownerId: item.accountId, pooledAt: actor.at, removedAt: null };
  if (row !== undefined) Object.assign(row, fields);
  else em.persist(em.create(PooledAgentExtensionEntity, { accountId: teamId, item, ...fields }));
  const after = buildPooledAgentExtensionAuditDetails(item);
  recordAudit(em, actor, { accountId: teamId, type: "item.pooled", target: item.id, after });
}

/** An item in a team's pool, locked until the transaction of `em` ends. Throws 404 `not_found`. */
export async function lockPooledExtension(
  em: EntityManager,
  teamId: string,
  itemId: string,
): Promise<PooledAgentExtension> {
  const item = await em.findOne(
    AgentExtensionEntity,
    { id: itemId, deletedAt: null },
    { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
  );
  const where = { accountId: teamId, item: itemId, removedAt: null };
  const row = item && (await em.findOne(PooledAgentExtensionEntity, where, { refresh: true }));
  if (row === null) throw notFoundError("item");
  return row;
}

/** Takes one item out of one pool. */
export function removeAgentExtensionFromPool(
  em: EntityManager,
  actor: AuditActor,
  row: PooledAgentExtension,
): void {
  row.removedAt = actor.at;
  const { accountId, item } = row;
  const before = buildPooledAgentExtensionAuditDetails(item);
  recordAudit(em, actor, { accountId, type: "item.unpooled", target: item.id, before });
}

/** Takes an item out of every pool, before its content goes. The item is locked. */
export async function removeExtensionFromTeamPools(
  em: EntityManager,
  actor: AuditActor,
  item: AgentExtension,
): Promise<void> {
  for (const row of await poolsOf(em, item)) removeAgentExtensionFromPool(em, actor, row);
}

/** Tells every team whose pool holds an item of its change. */
export async function recordPooledExtensionAuditEvents(
  em: EntityManager,
  actor: AuditActor,
  item: AgentExtension,
  record: Omit<AuditRecord, "accountId">,
): Promise<void> {
  for (const { accountId } of await poolsOf(em, item)) {
    recordAudit(em, actor, { accountId, ...record });
  }
}

function poolsOf(em: EntityManager, item: AgentExtension): Promise<PooledAgentExtension[]> {
  return em.find(PooledAgentExtensionEntity, { item: item.id, removedAt: null }, { refresh: true });
}

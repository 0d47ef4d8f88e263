import { LockMode, type EntityManager } from "@mikro-orm/postgresql";
import { recordAudit, type AuditActor } from "../../domain/audit/audit.ts";
import { notFoundError } from "../../platform/errors.ts";
import type { MemoryReserver } from "../../platform/hold-memory.ts";
import { findPage, type Page, type PageRequest } from "../../platform/pagination.ts";
import { buildAgentItemAuditDetails } from "./item-details.ts";
import { requireAgentItemOwnerId } from "./item-owner.ts";
import { loadListedItems } from "./load-listed-items.ts";
import { AgentItemEntity, type AgentItem } from "./item.entity.ts";
import { removeAgentItemFromAllPools } from "./pool.ts";
import { PooledAgentItemEntity } from "./pooled-item.entity.ts";

/**
 * Reads a page of the caller's own items, oldest first. Throws 403 for a team key, or what `hold`
 * throws: a page may have 16 MiB.
 */
export async function listAgentItems(
  em: EntityManager,
  actor: AuditActor,
  request: PageRequest,
  hold: MemoryReserver,
): Promise<Page<AgentItem>> {
  // In a fork: the rows have no other columns.
  const page = await findPage(em.fork(), AgentItemEntity, request, {
    everListedFilter: { accountId: requireAgentItemOwnerId(actor.principal) },
    listed: { deletedAt: null },
    orderBy: { createdAt: "asc", id: "asc" },
    byId: (id) => ({ id }),
    fields: ["id", "createdAt"],
  });
  const ids = page.rows.map(({ id }) => id);
  return { rows: await loadListedItems(em, ids, hold), hasMore: page.hasMore };
}

/**
 * An item of the caller's own, locked until the transaction of `em` ends.
 * Throws 404 `not_found`, and 403 for a team key.
 */
export async function lockAgentItem(
  em: EntityManager,
  actor: AuditActor,
  id: string,
): Promise<AgentItem> {
  const where = { id, accountId: requireAgentItemOwnerId(actor.principal), deletedAt: null };
  const row = await em.findOne(AgentItemEntity, where, {
    lockMode: LockMode.PESSIMISTIC_WRITE,
    refresh: true,
  });
  if (row === null) throw notFoundError("item");
  return row;
}

/** Deletes an item and takes it out of every pool. Throws 404 `not_found`. */
export function deleteAgentItem(em: EntityManager, actor: AuditActor, id: string): Promise<void> {
  return em.transactional(async (tx) => {
    const row = await lockAgentItem(tx, actor, id);
    const { accountId } = row;
    const before = buildAgentItemAuditDetails(row);
    await removeAgentItemFromAllPools(tx, actor, row);
    Object.assign(row, { ...noContent, deletedAt: actor.at });
    recordAudit(tx, actor, { accountId, type: "item.deleted", target: id, before });
  });
}

/**
 * Removes the items of a person who is being deleted. The rows stay without
 * content, because pools of teams have them as cursors.
 */
export async function eraseAgentItems(
  em: EntityManager,
  accountId: string,
  deletedAt: Date,
): Promise<void> {
  await em.nativeUpdate(
    PooledAgentItemEntity,
    { ownerId: accountId, removedAt: null },
    { removedAt: deletedAt },
  );
  await em.nativeUpdate(
    AgentItemEntity,
    { accountId, deletedAt: null },
    { ...noContent, deletedAt },
  );
}

const noContent = {
  name: null,
  url: null,
  headers: null,
  description: null,
  text: null,
  tools: [],
  approval: null,
};

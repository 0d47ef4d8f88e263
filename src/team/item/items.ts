import { LockMode, type EntityManager } from "@mikro-orm/postgresql";
import { recordAudit, type AuditActor } from "../../domain/audit/audit.ts";
import { notFoundError } from "../../platform/errors.ts";
import type { MemoryReserver } from "../../platform/hold-memory.ts";
import { findPage, type Page, type PageRequest } from "../../platform/pagination.ts";
import { buildAgentExtensionAuditDetails } from "./item-details.ts";
import { requireAgentExtensionOwnerId } from "./item-owner.ts";
import { loadAgentExtensionsByIds } from "./load-listed-items.ts";
import { AgentExtensionEntity, type AgentExtension } from "./item.entity.ts";
import { removeExtensionFromTeamPools } from "./pool.ts";
import { PooledAgentExtensionEntity } from "./pooled-item.entity.ts";

/**
 * Reads a page of the caller's own items, oldest first. Throws 403 for a team key, or what `hold`
 * throws: a page may have 16 MiB.
 */
export async function listAgentExtensions(
  em: EntityManager,
  actor: AuditActor,
  request: PageRequest,
  hold: MemoryReserver,
): Promise<Page<AgentExtension>> {
  // In a fork: the rows have no other columns.
  const page = await findPage(em.fork(), AgentExtensionEntity, request, {
    everListedFilter: { accountId: requireAgentExtensionOwnerId(actor.principal) },
    listed: { deletedAt: null },
    orderBy: { createdAt: "asc", id: "asc" },
    byId: (id) => ({ id }),
    fields: ["id", "createdAt"],
  });
  const ids = page.rows.map(({ id }) => id);
  return { rows: await loadAgentExtensionsByIds(em, ids, hold), hasMore: page.hasMore };
}

/**
 * An item of the caller's own, locked until the transaction of `em` ends.
 * Throws 404 `not_found`, and 403 for a team key.
 */
export async function lockAgentExtension(
  em: EntityManager,
  actor: AuditActor,
  id: string,
): Promise<AgentExtension> {
  const where = { id, accountId: requireAgentExtensionOwnerId(actor.principal), deletedAt: null };
  const row = await em.findOne(AgentExtensionEntity, where, {
    lockMode: LockMode.PESSIMISTIC_WRITE,
    refresh: true,
  });
  if (row === null) throw notFoundError("item");
  return row;
}

/** Deletes an item and takes it out of every pool. Throws 404 `not_found`. */
export function deleteAgentExtension(
  em: EntityManager,
  actor: AuditActor,
  id: string,
): Promise<void> {
  return em.transactional(async (tx) => {
    const row = await lockAgentExtension(tx, actor, id);
    const { accountId } = row;
    const before = buildAgentExtensionAuditDetails(row);
    await removeExtensionFromTeamPools(tx, actor, row);
    Object.assign(row, { ...noContent, deletedAt: actor.at });
    recordAudit(tx, actor, { accountId, type: "item.deleted", target: id, before });
  });
}

/**
 * Removes the items of a person who is being deleted. The rows stay without
 * content, because pools of teams have them as cursors.
 */
export async function eraseAgentExtensions(
  em: EntityManager,
  accountId: string,
  deletedAt: Date,
): Promise<void> {
  await em.nativeUpdate(
    PooledAgentExtensionEntity,
    { ownerId: accountId, removedAt: null },
    { removedAt: deletedAt },
  );
  await em.nativeUpdate(
    AgentExtensionEntity,
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

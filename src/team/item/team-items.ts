import type { EntityManager } from "@mikro-orm/postgresql";
import type { AuditActor } from "../../domain/audit/audit.ts";
import type { MemoryReserver } from "../../platform/hold-memory.ts";
import { findPage, type Page, type PageRequest } from "../../platform/pagination.ts";
import {
  getCallerMembershipAndLockTeam,
  getCallerMembership,
  teamRankTooLowError,
} from "../membership.ts";
import { canManageTeam, canPoolExtensions } from "../ranks.ts";
import { requireAgentExtensionOwnerId } from "./item-owner.ts";
import type { AgentExtension } from "./item.entity.ts";
import { lockAgentExtension } from "./items.ts";
import { loadAgentExtensionsByIds } from "./load-listed-items.ts";
import {
  addAgentExtensionsToTeamPool,
  lockPooledExtension,
  removeAgentExtensionFromPool,
} from "./pool.ts";
import { PooledAgentExtensionEntity } from "./pooled-item.entity.ts";

/** An item in a pool, and whether the caller may see which headers it has. */
export interface PooledExtensionWithHeaderVisibility {
  readonly item: AgentExtension;
  readonly canSeeHeaders: boolean;
}

/**
 * Reads a page of a team's pool, in the order the items were pooled. Throws 404 `not_found` for
 * a caller outside the team, or what `hold` throws: a page may have 16 MiB.
 */
export async function listPooledAgentExtensions(
  em: EntityManager,
  actor: AuditActor,
  teamId: string,
  request: PageRequest,
  hold: MemoryReserver,
): Promise<Page<PooledExtensionWithHeaderVisibility>> {
  const { confirmed } = await getCallerMembership(em, teamId, actor.principal);
  const page = await findPage(em, PooledAgentExtensionEntity, request, {
    everListedFilter: { accountId: teamId },
    listed: { removedAt: null },
    orderBy: { pooledAt: "asc", item: { id: "asc" } },
    byId: (id) => ({ item: id }),
  });
  const ids = page.rows.map(({ item }) => item.id);
  const items = await loadAgentExtensionsByIds(em, ids, hold);
  const rows = items.map((item) => ({ item, canSeeHeaders: confirmed }));
  return { rows, hasMore: page.hasMore };
}

/**
 * Puts an item of the caller's own into a team's pool; again is no change.
 * Throws 404 `not_found` for a strange team or item, 403 for a team key and for
 * a rank that the share policy leaves out, 400 when the pool is full.
 */
export function addExtensionToTeamPool(
  em: EntityManager,
  actor: AuditActor,
  teamId: string,
  itemId: string,
): Promise<PooledExtensionWithHeaderVisibility> {
  requireAgentExtensionOwnerId(actor.principal);
  return em.transactional(async (tx) => {
    const { rank, confirmed, team } = await getCallerMembershipAndLockTeam(
      tx,
      teamId,
      actor.principal,
    );
    const item = await lockAgentExtension(tx, actor, itemId);
    if (!canPoolExtensions(rank, team.sharePolicy)) {
      throw teamRankTooLowError("In this team only editors, admins and owners may pool items.");
    }
    await addAgentExtensionsToTeamPool(tx, actor, teamId, [item], (error) => {
      throw error;
    });
    return { item, canSeeHeaders: confirmed };
  });
}

/**
 * Takes an item out of a team's pool: its owner any time, admins and owners of
 * the team as well. Throws 404 `not_found` for a strange team and for an item
 * that is not in the pool, 403 for anybody else.
 */
export function removeExtensionFromTeamPool(
  em: EntityManager,
  actor: AuditActor,
  teamId: string,
  itemId: string,
): Promise<PooledExtensionWithHeaderVisibility> {
  return em.transactional(async (tx) => {
    const member = await getCallerMembershipAndLockTeam(tx, teamId, actor.principal);
    const row = await lockPooledExtension(tx, teamId, itemId);
    const isOwn = !member.isTeamKey && member.userId === row.ownerId;
    if (!isOwn && !canManageTeam(member.rank)) {
      throw teamRankTooLowError(
        "Only its owner, and admins and owners of the team, may take an item out.",
      );
    }
    removeAgentExtensionFromPool(tx, actor, row);
    return { item: row.item, canSeeHeaders: member.confirmed };
  });
}

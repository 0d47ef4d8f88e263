import type { EntityManager } from "@mikro-orm/postgresql";
import type { Actor } from "../../domain/audit/audit.ts";
import { findPage, type Page, type PageRequest } from "../../platform/pagination.ts";
import { lockMembership, findMembership, rankTooLowError } from "../membership.ts";
import { canManage, canPool } from "../ranks.ts";
import { itemOwner } from "./item-owner.ts";
import type { Item } from "./item.entity.ts";
import { lockItem } from "./items.ts";
import { addToPool, lockPooled, removeFromPool } from "./pool.ts";
import { PooledItemSchema } from "./pooled-item.entity.ts";

/** An item in a pool, and whether the caller may see which headers it has. */
export interface PoolEntry {
  readonly item: Item;
  readonly canSeeHeaders: boolean;
}

/**
 * A page of a team's pool, in the order the items were pooled. Throws 404
 * `not_found` for who is no member.
 */
export async function listTeamItems(
  em: EntityManager,
  actor: Actor,
  teamId: string,
  request: PageRequest,
): Promise<Page<PoolEntry>> {
  const { confirmed } = await findMembership(em, teamId, actor.principal);
  const page = await findPage(em, PooledItemSchema, request, {
    everListedFilter: { accountId: teamId },
    listed: { removedAt: null },
    orderBy: { pooledAt: "asc", item: { id: "asc" } },
    byId: (id) => ({ item: id }),
    populate: ["item"],
  });
  const rows = page.rows.map(({ item }) => ({ item, canSeeHeaders: confirmed }));
  return { rows, hasMore: page.hasMore };
}

/**
 * Puts an item of the caller's own into a team's pool; again is no change.
 * Throws 404 `not_found` for a strange team or item, 403 for a team key and for
 * a rank that the share policy leaves out.
 */
export function poolItem(
  em: EntityManager,
  actor: Actor,
  teamId: string,
  itemId: string,
): Promise<PoolEntry> {
  itemOwner(actor.principal);
  return em.transactional(async (tx) => {
    const { rank, confirmed, team } = await lockMembership(tx, teamId, actor.principal);
    const item = await lockItem(tx, actor, itemId);
    if (!canPool(rank, team.sharePolicy)) {
      throw rankTooLowError("In this team only editors, admins and owners may pool items.");
    }
    await addToPool(tx, actor, teamId, [item]);
    return { item, canSeeHeaders: confirmed };
  });
}

/**
 * Takes an item out of a team's pool: its owner any time, admins and owners of
 * the team as well. Throws 404 `not_found` for a strange team and for an item
 * that is not in the pool, 403 for anybody else.
 */
export function unpoolItem(
  em: EntityManager,
  actor: Actor,
  teamId: string,
  itemId: string,
): Promise<PoolEntry> {
  return em.transactional(async (tx) => {
    const member = await lockMembership(tx, teamId, actor.principal);
    const row = await lockPooled(tx, teamId, itemId);
    const isOwn = !member.isTeamKey && member.userId === row.ownerId;
    if (!isOwn && !canManage(member.rank)) {
      throw rankTooLowError(
        "Only its owner, and admins and owners of the team, may take an item out.",
      );
    }
    removeFromPool(tx, actor, row);
    return { item: row.item, canSeeHeaders: member.confirmed };
  });
}

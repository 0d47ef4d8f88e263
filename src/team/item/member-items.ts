import { LockMode, type EntityManager } from "@mikro-orm/postgresql";
import type { MembershipItemHooks } from "../pooled-items.ts";
import { ItemEntity } from "./item.entity.ts";
import { addItemsToPool, removeItemFromPool } from "./pool.ts";
import { PooledItemEntity } from "./pooled-item.entity.ts";

/** What happens to items when people join and leave teams. */
export const membershipItemHooks: MembershipItemHooks = {
  async onJoin(em, actor, { teamId, userId }, kinds) {
    const where = { accountId: userId, kind: { $in: [...kinds] }, deletedAt: null };
    const items = await em.find(ItemEntity, where, {
      orderBy: { createdAt: "asc", id: "asc" },
      lockMode: LockMode.PESSIMISTIC_WRITE,
      refresh: true,
    });
    // Joining succeeds also where the pool is full.
    await addItemsToPool(em, actor, teamId, items, () => undefined);
  },
  async onLeave(em, actor, { teamId, userId }) {
    const pooled = { accountId: teamId, ownerId: userId, removedAt: null };
    await lockItems(em, pooled);
    const rows = await em.find(PooledItemEntity, pooled, { populate: ["item"], refresh: true });
    for (const row of rows) removeItemFromPool(em, actor, row);
  },
  async onTeamDeleted(em, actor, teamId) {
    const pooled = { accountId: teamId, removedAt: null };
    await em.nativeUpdate(PooledItemEntity, pooled, { removedAt: actor.at });
  },
};

/** Locks the items of rows of a pool, before the rows are read to be changed. */
async function lockItems(
  em: EntityManager,
  pooled: { accountId: string; ownerId: string; removedAt: null },
): Promise<void> {
  const rows = await em.find(PooledItemEntity, pooled, {
    fields: ["item"],
    disableIdentityMap: true,
  });
  const ids = rows.map(({ item }) => item.id);
  if (ids.length === 0) return;
  await em.find(
    ItemEntity,
    { id: { $in: ids } },
    {
      fields: ["id"],
      orderBy: { createdAt: "asc", id: "asc" },
      lockMode: LockMode.PESSIMISTIC_WRITE,
      refresh: true,
    },
  );
}

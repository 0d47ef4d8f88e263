import { LockMode, type EntityManager } from "@mikro-orm/postgresql";
import type { MembershipChangeHooks } from "../pooled-items.ts";
import { AgentItemEntity } from "./item.entity.ts";
import { addAgentItemsToTeamPool, removeAgentItemFromPool } from "./pool.ts";
import { PooledAgentItemEntity } from "./pooled-item.entity.ts";

/** What happens to items when people join and leave teams. */
export const agentItemMembershipHooks: MembershipChangeHooks = {
  async onJoin(em, actor, { teamId, userId }, kinds) {
    const where = { accountId: userId, kind: { $in: [...kinds] }, deletedAt: null };
    const items = await em.find(AgentItemEntity, where, {
      orderBy: { createdAt: "asc", id: "asc" },
      lockMode: LockMode.PESSIMISTIC_WRITE,
      refresh: true,
    });
    // Joining succeeds also where the pool is full.
    await addAgentItemsToTeamPool(em, actor, teamId, items, () => undefined);
  },
  async onLeave(em, actor, { teamId, userId }) {
    const pooled = { accountId: teamId, ownerId: userId, removedAt: null };
    await lockItems(em, pooled);
    const rows = await em.find(PooledAgentItemEntity, pooled, {
      populate: ["item"],
      refresh: true,
    });
    for (const row of rows) removeAgentItemFromPool(em, actor, row);
  },
  async onTeamDeleted(em, actor, teamId) {
    const pooled = { accountId: teamId, removedAt: null };
    await em.nativeUpdate(PooledAgentItemEntity, pooled, { removedAt: actor.at });
  },
};

/** Locks the items of rows of a pool, before the rows are read to be changed. */
async function lockItems(
  em: EntityManager,
  pooled: { accountId: string; ownerId: string; removedAt: null },
): Promise<void> {
  const rows = await em.find(PooledAgentItemEntity, pooled, {
    fields: ["item"],
    disableIdentityMap: true,
  });
  const ids = rows.map(({ item }) => item.id);
  if (ids.length === 0) return;
  await em.find(
    AgentItemEntity,
    { id: { $in: ids } },
    {
      fields: ["id"],
      orderBy: { createdAt: "asc", id: "asc" },
      lockMode: LockMode.PESSIMISTIC_WRITE,
      refresh: true,
    },
  );
}

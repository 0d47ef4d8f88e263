import { LockMode, type EntityManager } from "@mikro-orm/postgresql";
import type { MembershipChangeHooks } from "../pooled-items.ts";
import { AgentExtensionEntity } from "./item.entity.ts";
import { addAgentExtensionsToTeamPool, removeAgentExtensionFromPool } from "./pool.ts";
import { PooledAgentExtensionEntity } from "./pooled-item.entity.ts";

/** What happens to items when people join and leave teams. */
export const agentExtensionMembershipHooks: MembershipChangeHooks = {
  async onJoin(em, actor, { teamId, userId }, kinds) {
    const where = { accountId: userId, kind: { $in: [...kinds] }, deletedAt: null };
    const items = await em.find(AgentExtensionEntity, where, {
      orderBy: { createdAt: "asc", id: "asc" },
      lockMode: LockMode.PESSIMISTIC_WRITE,
      refresh: true,
    });
    // Joining succeeds also where the pool is full.
    await addAgentExtensionsToTeamPool(em, actor, teamId, items, () => undefined);
  },
  async onLeave(em, actor, { teamId, userId }) {
    const pooled = { accountId: teamId, ownerId: userId, removedAt: null };
    await lockItems(em, pooled);
    const rows = await em.find(PooledAgentExtensionEntity, pooled, {
      populate: ["item"],
      refresh: true,
    });
    for (const row of rows) removeAgentExtensionFromPool(em, actor, row);
  },
  async onTeamDeleted(em, actor, teamId) {
    const pooled = { accountId: teamId, removedAt: null };
    await em.nativeUpdate(PooledAgentExtensionEntity, pooled, { removedAt: actor.at });
  },
};

/** Locks the items of rows of a pool, before the rows are read to be changed. */
async function lockItems(
  em: EntityManager,
  pooled: { accountId: string; ownerId: string; removedAt: null },
): Promise<void> {
  const rows = await em.find(PooledAgentExtensionEntity, pooled, {
    fields: ["item"],
    disableIdentityMap: true,
  });
  const ids = rows.map(({ item }) => item.id);
  if (ids.length === 0) return;
  await em.find(
    AgentExtensionEntity,
    { id: { $in: ids } },
    {
      fields: ["id"],
      orderBy: { createdAt: "asc", id: "asc" },
      lockMode: LockMode.PESSIMISTIC_WRITE,
      refresh: true,
    },
  );
}

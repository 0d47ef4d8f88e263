import type { EntityManager } from "@mikro-orm/postgresql";
import { CallerKeyEntity } from "./caller-key.entity.ts";

/**
 * Revokes the keys of a team in the transaction of `em`: those that one member
 * made, or all of them when the team is being deleted.
 */
export async function revokeTeamKeys(
  em: EntityManager,
  which: { readonly teamId: string; readonly user?: string },
  at: Date,
): Promise<void> {
  await em.nativeUpdate(CallerKeyEntity, { ...which, revokedAt: null }, { revokedAt: at });
}

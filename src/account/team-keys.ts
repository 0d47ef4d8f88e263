import type { EntityManager } from "@mikro-orm/postgresql";
import { CallerKeySchema } from "./caller-key.entity.ts";

/** Revokes every key of a team that is being deleted, in the transaction of `em`. */
export async function revokeTeamKeys(em: EntityManager, teamId: string, at: Date): Promise<void> {
  await em.nativeUpdate(CallerKeySchema, { teamId, revokedAt: null }, { revokedAt: at });
}

import type { EntityManager } from "@mikro-orm/postgresql";

/**
 * Lets one transaction at a time, in whatever process, past a name until the
 * transaction of `em` ends: what they count or number happens one after the other.
 */
export async function takeAdvisoryLock(em: EntityManager, name: string): Promise<void> {
  await em.execute("select pg_advisory_xact_lock(hashtextextended(?, 0))", [name]);
}

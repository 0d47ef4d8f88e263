import type { EntityManager } from "@mikro-orm/postgresql";
import { LoggedCallEntity } from "./call.entity.ts";

/** Removes the calls of an account that is itself being removed. */
export async function eraseLoggedCalls(em: EntityManager, accountId: string): Promise<void> {
  await em.nativeDelete(LoggedCallEntity, { accountId });
}

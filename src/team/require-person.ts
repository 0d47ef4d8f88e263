import { LockMode, type EntityManager } from "@mikro-orm/postgresql";
import { UserEntity, type User } from "../account/user.entity.ts";
import { ApiError } from "../platform/errors.ts";
import type { Principal } from "../platform/principal.ts";

/**
 * The person who calls. Throws 403 `insufficient_scope` for a team key, which is
 * nobody, and for callers without a person.
 */
export function requirePersonUserId(principal: Principal, action: string): string {
  const isPerson =
    principal.kind === "session" || (principal.kind === "key" && principal.teamId === undefined);
  if (isPerson) return principal.userId;
  throw new ApiError("insufficient_scope", `A team key may not ${action}; use a key of a person.`);
}

/**
 * The caller's user, who is not disabled or deleted until the transaction of
 * `em` ends. Take it before any team: whoever locks both takes the user first.
 */
export async function lockActiveUser(em: EntityManager, userId: string): Promise<User> {
  const live = { id: userId, disabledAt: null, deletedAt: null };
  const user = await em.findOne(UserEntity, live, { lockMode: LockMode.PESSIMISTIC_READ });
  if (user === null) throw new ApiError("insufficient_scope", "The user is disabled.");
  return user;
}

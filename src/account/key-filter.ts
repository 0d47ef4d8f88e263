import type { EntityManager, FilterQuery } from "@mikro-orm/postgresql";
import { findPage, type Page, type PageRequest } from "../platform/pagination.ts";
import { CallerKeySchema, type CallerKeyRow } from "./caller-key.entity.ts";
import type { TeamMembership } from "./team-membership.ts";

/** A set of keys that somebody may see. */
export type KeyFilter = FilterQuery<CallerKeyRow>;

/** A user's keys and the team keys that the user made. */
export function keysCreatedBy(userId: string): KeyFilter {
  return { user: userId };
}

/** Those, and every team key of the teams that the user manages. */
export async function keysManagedBy(
  em: EntityManager,
  userId: string,
  teams: TeamMembership,
): Promise<KeyFilter> {
  const managed = await teams.teamsManagedBy(em, userId);
  return { $or: [{ user: userId }, { teamId: { $in: [...managed] } }] };
}

/** A page of keys, oldest first, revoked ones included. */
export function listKeys(
  em: EntityManager,
  selection: KeyFilter,
  request: PageRequest,
): Promise<Page<CallerKeyRow>> {
  return findPage(em, CallerKeySchema, request, {
    everListedFilter: selection,
    orderBy: { createdAt: "asc", id: "asc" },
    byId: (id) => ({ id }),
  });
}

import type { EntityManager, FilterQuery } from "@mikro-orm/postgresql";
import { findPage, type Page, type PageRequest } from "../platform/pagination.ts";
import { CallerKeyEntity, type CallerKeyRow } from "./caller-key.entity.ts";
import type { TeamMembershipLookup } from "./team-membership.ts";

/** A set of keys that somebody may see. */
export type CallerKeyFilter = FilterQuery<CallerKeyRow>;

/** A user's keys and the team keys that the user made. */
export function buildKeysCreatedByUserFilter(userId: string): CallerKeyFilter {
  return { user: userId };
}

/** Those, and every team key of the teams that the user manages. */
export async function buildKeysManagedByUserFilter(
  em: EntityManager,
  userId: string,
  teams: TeamMembershipLookup,
): Promise<CallerKeyFilter> {
  const managed = await teams.teamsManagedBy(em, userId);
  return { $or: [{ user: userId }, { teamId: { $in: [...managed] } }] };
}

/** A page of keys, oldest first, revoked ones included. */
export function listKeys(
  em: EntityManager,
  selection: CallerKeyFilter,
  request: PageRequest,
): Promise<Page<CallerKeyRow>> {
  return findPage(em, CallerKeyEntity, request, {
    everListedFilter: selection,
    orderBy: { createdAt: "asc", id: "asc" },
    byId: (id) => ({ id }),
  });
}

import { LockMode, type EntityManager, type FilterQuery } from "@mikro-orm/postgresql";
import type { TeamRank } from "../account/team-membership.ts";
import { ApiError, notFoundError } from "../platform/errors.ts";
import type { Principal } from "../platform/principal.ts";
import { canManageTeam, capTeamKeyRank } from "./ranks.ts";
import { TeamMemberEntity, type TeamMember } from "./team-member.entity.ts";
import { TeamEntity, type Team } from "./team.entity.ts";

/** What a caller is in a team, read at the time of the call. */
export interface CallerMembership {
  readonly team: Team;
  /** The rank that the caller acts with; for a team key its creator's, at most admin. */
  readonly rank: TeamRank;
  /** Whether the caller gets the team's secrets. */
  readonly confirmed: boolean;
  /** The member; for a team key its creator. */
  readonly userId: string;
  /** A team key acts for the team: its creator's own membership is not its own. */
  readonly isTeamKey: boolean;
}

/**
 * The membership of a caller in a team, in one statement. Throws 404 `not_found`
 * for whoever is not a member, and for a team key of another team: to them the
 * team does not exist.
 */
export async function getCallerMembership(
  em: EntityManager,
  teamId: string,
  principal: Principal,
): Promise<CallerMembership> {
  const seat = resolveVisibleMemberships(principal);
  if (seat === undefined) throw notFoundError("team", "server");
  const row = await em.findOne(
    TeamMemberEntity,
    { $and: [seat.where, { leftAt: null, team: { id: teamId, deletedAt: null } }] },
    { populate: ["team"], strategy: "joined" },
  );
  if (row === null) throw notFoundError("team", "server");
  const { isTeamKey } = seat;
  const rank = isTeamKey ? capTeamKeyRank(row.role) : row.role;
  return { team: row.team, rank, confirmed: row.confirmed, userId: seat.userId, isTeamKey };
}

/** The same, with the team locked until the transaction of `em` ends. */
export async function getCallerMembershipAndLockTeam(
  em: EntityManager,
  teamId: string,
  principal: Principal,
): Promise<CallerMembership> {
  await lockTeam(em, teamId);
  return getCallerMembership(em, teamId, principal);
}

/** Locks a team that is not deleted until the transaction of `em` ends. Throws 404 `not_found`. */
export async function lockTeam(em: EntityManager, teamId: string): Promise<Team> {
  const where = { id: teamId, deletedAt: null };
  const options = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } as const;
  const team = await em.findOne(TeamEntity, where, options);
  if (team === null) throw notFoundError("team", "server");
  return team;
}

/** Throws 403 `insufficient_scope` for a member below admin. */
export function assertCanManageTeam({ rank }: Pick<CallerMembership, "rank">): void {
  if (!canManageTeam(rank))
    throw teamRankTooLowError("Only admins and owners of the team may do this.");
}

/** The refusal of a member whose rank is too low; the message says what it would take. */
export function teamRankTooLowError(message: string): ApiError {
  return new ApiError("insufficient_scope", message);
}

/** Every seat that a caller sees: a person its own ones, a team key its creator's in its team. */
export function resolveVisibleMemberships(
  principal: Principal,
): { where: FilterQuery<TeamMember>; userId: string; isTeamKey: boolean } | undefined {
  if (principal.kind === "session") {
    const { userId } = principal;
    return { where: { user: userId }, userId, isTeamKey: false };
  }
  if (principal.kind !== "key") return undefined;
  const { userId, teamId } = principal;
  if (teamId === undefined) return { where: { user: userId }, userId, isTeamKey: false };
  return { where: { user: userId, team: teamId }, userId, isTeamKey: true };
}

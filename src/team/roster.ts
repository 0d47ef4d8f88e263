import type { EntityManager } from "@mikro-orm/postgresql";
import type { AuditDetails } from "../domain/audit/audit-event.entity.ts";
import { recordAudit, type AuditActor } from "../domain/audit/audit.ts";
import { revokeTeamKeys } from "../account/team-keys.ts";
import type { TeamRank } from "../account/team-membership.ts";
import { ApiError, notFoundError } from "../platform/errors.ts";
import type { MembershipChangeHooks } from "./pooled-items.ts";
import { TeamMemberEntity, type TeamMember } from "./team-member.entity.ts";
import type { Team } from "./team.entity.ts";

/** Who joins, and as what. */
export interface NewTeamMember {
  readonly userId: string;
  readonly role: TeamRank;
  readonly confirmed: boolean;
}

/**
 * Makes somebody a member in the transaction of `em`; the team is locked. Who
 * was one before starts anew, at the end of the list. Throws 409 `conflict` for
 * whoever is one now.
 */
export async function addTeamMember(
  em: EntityManager,
  actor: AuditActor,
  team: Team,
  { userId, role, confirmed }: NewTeamMember,
): Promise<TeamMember> {
  const seat = { team: team.id, user: userId };
  const fresh = { role, confirmed, groups: [], joinedAt: actor.at, leftAt: null };
  const former = await em.findOne(TeamMemberEntity, seat);
  if (former?.leftAt === null) {
    throw new ApiError("conflict", "You are a member of this team already.");
  }
  const member =
    former === null ? em.create(TeamMemberEntity, { ...seat, ...fresh }) : em.assign(former, fresh);
  em.persist(member);
  team.memberCount += 1;
  recordTeamMemberAuditEvent(em, actor, team.id, userId, "created", {
    after: buildTeamMemberAuditDetails(member),
  });
  return member;
}

/**
 * Ends a membership in the transaction of `em`; the team is locked. The team keys
 * that the member made end with it, so that they do not live again should the
 * member come back.
 */
export async function endTeamMembership(
  em: EntityManager,
  actor: AuditActor,
  team: Team,
  member: TeamMember,
  pooledItems: MembershipChangeHooks,
): Promise<void> {
  const { id: userId } = member.user;
  const before = buildTeamMemberAuditDetails(member);
  member.leftAt = actor.at;
  team.memberCount -= 1;
  await revokeTeamKeys(em, { teamId: team.id, user: userId }, actor.at);
  await pooledItems.onLeave(em, actor, { teamId: team.id, userId });
  recordTeamMemberAuditEvent(em, actor, team.id, userId, "deleted", { before });
}

/** A live member of a team. Throws 404 `not_found`. */
export async function loadTeamMemberOrThrow(
  em: EntityManager,
  teamId: string,
  userId: string,
): Promise<TeamMember> {
  const where = { team: teamId, user: userId, leftAt: null };
  const member = await em.findOne(TeamMemberEntity, where);
  if (member === null) throw notFoundError("member", "server");
  return member;
}

/**
 * Throws 409 `last_owner` unless the team has an owner beside this one who can
 * sign in. The team is locked.
 */
export async function assertHasOtherOwner(
  em: EntityManager,
  teamId: string,
  userId: string,
): Promise<void> {
  const others = await em.count(TeamMemberEntity, {
    team: teamId,
    role: "owner",
    leftAt: null,
    user: { id: { $ne: userId }, disabledAt: null, deletedAt: null },
  });
  if (others > 0) return;
  throw new ApiError("last_owner", "This is the last owner of the team; make another one first.");
}

/** What the audit log says of a member. */
export function buildTeamMemberAuditDetails({ role, groups, confirmed }: TeamMember): AuditDetails {
  return { role, groups, confirmed };
}

/** Adds an event about a member to the transaction of `em`. */
export function recordTeamMemberAuditEvent(
  em: EntityManager,
  actor: AuditActor,
  teamId: string,
  userId: string,
  change: "created" | "updated" | "deleted",
  details: { readonly before?: AuditDetails; readonly after?: AuditDetails },
): void {
  const type = `membership.${change}`;
  recordAudit(em, actor, { accountId: teamId, type, target: userId, ...details });
}

import { isDeepStrictEqual } from "node:util";
import type { EntityManager } from "@mikro-orm/postgresql";
import { diffAuditEventDetails } from "../domain/audit/audit-details.ts";
import type { AuditActor } from "../domain/audit/audit.ts";
import type { TeamRank } from "../account/team-membership.ts";
import {
  assertCanManageTeam,
  getCallerMembershipAndLockTeam,
  lockTeam,
  teamRankTooLowError,
  type CallerMembership,
} from "./membership.ts";
import { canGrantRank, canSetMemberGroups, canManageTeam, canRemoveMember } from "./ranks.ts";
import {
  assertHasOtherOwner,
  endTeamMembership,
  loadTeamMemberOrThrow,
  buildTeamMemberAuditDetails,
  recordTeamMemberAuditEvent,
} from "./roster.ts";
import type { TeamMember } from "./team-member.entity.ts";
import type { TeamDependencies } from "./team-dependencies.ts";

/** The fields of a member that a PATCH sets; one of them at least. */
export interface TeamMemberPatch {
  readonly role?: TeamRank;
  readonly groups?: readonly string[];
}

/**
 * Gives a member another role, other groups or both. Throws 404, and 403 where
 * the rank does not suffice: the role and the member must be below the caller;
 * for groups alone the member may be the caller.
 */
export function updateMember(
  em: EntityManager,
  actor: AuditActor,
  teamId: string,
  userId: string,
  changes: TeamMemberPatch,
): Promise<TeamMember> {
  return em.transactional(async (tx) => {
    const caller = await getCallerMembershipAndLockTeam(tx, teamId, actor.principal);
    const member = await loadTeamMemberOrThrow(tx, teamId, userId);
    assertCanUpdate(caller, member, changes);
    return applyChanges(tx, actor, teamId, member, changes);
  });
}

/**
 * Removes a member, or lets the caller leave. Throws 404, 403 where the rank
 * does not suffice, 409 `last_owner`.
 */
export function removeMember(
  em: EntityManager,
  actor: AuditActor,
  teamId: string,
  userId: string,
  { pooledItems }: Pick<TeamDependencies, "pooledItems">,
): Promise<void> {
  return em.transactional(async (tx) => {
    const caller = await getCallerMembershipAndLockTeam(tx, teamId, actor.principal);
    const member = await loadTeamMemberOrThrow(tx, teamId, userId);
    if (!isSelf(caller, member) && !canRemoveMember(caller.rank, member.role)) {
      throw teamRankTooLowError(
        "Admins remove members below them, owners anyone; others may only leave.",
      );
    }
    if (member.role === "owner") await assertHasOtherOwner(tx, teamId, userId);
    await endTeamMembership(tx, actor, caller.team, member, pooledItems);
  });
}

/**
 * Lets a member have the team's secrets; again is no change. Throws 404, and 403
 * below admin and for who waits for confirmation itself.
 */
export function confirmMember(
  em: EntityManager,
  actor: AuditActor,
  teamId: string,
  userId: string,
): Promise<TeamMember> {
  return em.transactional(async (tx) => {
    const caller = await getCallerMembershipAndLockTeam(tx, teamId, actor.principal);
    const member = await loadTeamMemberOrThrow(tx, teamId, userId);
    assertCanManageTeam(caller);
    if (!caller.confirmed)
      throw teamRankTooLowError("Who waits for confirmation may not confirm anybody.");
    return applyChanges(tx, actor, teamId, member, { confirmed: true });
  });
}

/** Makes a member an owner, by the operator, who vouches for the person. Throws 404. */
export function promoteMemberToOwner(
  em: EntityManager,
  actor: AuditActor,
  teamId: string,
  userId: string,
): Promise<TeamMember> {
  return em.transactional(async (tx) => {
    await lockTeam(tx, teamId);
    const member = await loadTeamMemberOrThrow(tx, teamId, userId);
    return applyChanges(tx, actor, teamId, member, { role: "owner", confirmed: true });
  });
}

function assertCanUpdate(
  caller: CallerMembership,
  member: TeamMember,
  changes: TeamMemberPatch,
): void {
  const { role, groups } = changes;
  if (role !== undefined && !canGrantRank(caller.rank, member.role, role)) {
    throw teamRankTooLowError("A role can be granted below your own only, to a member below you.");
  }
  if (groups === undefined || canSetMemberGroups(caller.rank, member.role)) return;
  if (isSelf(caller, member) && canManageTeam(caller.rank)) return;
  throw teamRankTooLowError(
    "Groups can be set by admins and owners, of themselves and of members below.",
  );
}

/** A team key acts for the team, so nobody in it is the key itself. */
function isSelf(caller: CallerMembership, member: TeamMember): boolean {
  return !caller.isTeamKey && caller.userId === member.user.id;
}

function applyChanges(
  em: EntityManager,
  actor: AuditActor,
  teamId: string,
  member: TeamMember,
  changes: TeamMemberPatch & { readonly confirmed?: boolean },
): TeamMember {
  const before = buildTeamMemberAuditDetails(member);
  const groups = changes.groups === undefined ? member.groups : [...new Set(changes.groups)];
  Object.assign(member, changes, {
    // The same labels again are no change of the array.
    groups: isDeepStrictEqual(groups, member.groups) ? member.groups : groups,
  });
  const details = diffAuditEventDetails(before, buildTeamMemberAuditDetails(member));
  if (details !== undefined) {
    recordTeamMemberAuditEvent(em, actor, teamId, member.user.id, "updated", details);
  }
  return member;
}

import type { EntityManager } from "@mikro-orm/postgresql";
import type { AuditActor } from "../domain/audit/audit.ts";
import type { TeamMembershipLookup, TeamRank } from "../account/team-membership.ts";
import { getUser } from "../account/users.ts";
import type { Clock } from "../platform/clock.ts";
import { pendingTeamInviteFilter } from "./invites.ts";
import { lockTeam } from "./membership.ts";
import type { MembershipChangeHooks } from "./pooled-items.ts";
import { assertHasOtherOwner, endTeamMembership } from "./roster.ts";
import { TeamInviteEntity } from "./team-invite.entity.ts";
import { TeamMemberEntity, type TeamMember } from "./team-member.entity.ts";

/** What accounts ask of teams, answered from the database at every call. */
export function createTeamMembershipLookup(ports: {
  readonly pooledItems: MembershipChangeHooks;
  readonly clock: Clock;
}): TeamMembershipLookup {
  return {
    rankOf,
    async lockedRankOf(em, teamId, userId) {
      await lockTeam(em, teamId).catch(ignoreDeleted);
      return rankOf(em, teamId, userId);
    },
    async teamsManagedBy(em, userId) {
      const managed = { user: userId, leftAt: null, role: { $in: ["owner", "admin"] as const } };
      const seats = await em.find(TeamMemberEntity, managed, { disableIdentityMap: true });
      return seats.map(({ team }) => team.id);
    },
    async assertNotLastOwner(em, userId) {
      for (const { team, role } of await lockTeamsOf(em, userId)) {
        if (role === "owner") await assertHasOtherOwner(em, team.id, userId);
      }
    },
    leaveAll: (em, actor, userId) => leaveAll(em, actor, userId, ports.pooledItems),
    async hasPendingInvite(em, emailNormalised) {
      const at = new Date(ports.clock.now());
      return (
        (await em.count(TeamInviteEntity, { emailNormalised, ...pendingTeamInviteFilter(at) })) > 0
      );
    },
  };
}

async function leaveAll(
  em: EntityManager,
  actor: AuditActor,
  userId: string,
  pooledItems: MembershipChangeHooks,
): Promise<void> {
  for (const member of await lockTeamsOf(em, userId)) {
    const team = await lockTeam(em, member.team.id);
    await endTeamMembership(em, actor, team, member, pooledItems);
  }
  await forgetAddress(em, userId);
}

/** A deleted user's address goes; who is still invited under it may come back as somebody new. */
async function forgetAddress(em: EntityManager, userId: string): Promise<void> {
  const { emailNormalised } = await getUser(em, userId);
  const ended = { emailNormalised, state: { $ne: "pending" as const } };
  await em.nativeUpdate(TeamInviteEntity, ended, { email: "", emailNormalised: "" });
}

/** The user's memberships, their teams locked in one order, so that no two wait for each other. */
async function lockTeamsOf(em: EntityManager, userId: string): Promise<TeamMember[]> {
  const live = { user: userId, leftAt: null };
  const seats = await em.find(TeamMemberEntity, live, {
    orderBy: { team: "asc" },
    disableIdentityMap: true,
  });
  for (const { team } of seats) await lockTeam(em, team.id).catch(ignoreDeleted);
  return em.find(TeamMemberEntity, live, { orderBy: { team: "asc" }, refresh: true });
}

/** A team that was deleted has no members any more. */
function ignoreDeleted(error: unknown): void {
  if (error instanceof Error && "code" in error && error.code === "not_found") return;
  throw error;
}

async function rankOf(
  em: EntityManager,
  team: string,
  user: string,
): Promise<TeamRank | undefined> {
  const live = { team, user, leftAt: null };
  return (await em.findOne(TeamMemberEntity, live, { disableIdentityMap: true }))?.role;
}

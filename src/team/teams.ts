import type { EntityManager } from "@mikro-orm/postgresql";
import { diffAuditEventDetails } from "../domain/audit/audit-details.ts";
import type { AuditDetails } from "../domain/audit/audit-event.entity.ts";
import { recordAudit, type AuditActor } from "../domain/audit/audit.ts";
import { revokeTeamKeys } from "../account/team-keys.ts";
import type { TeamRank } from "../account/team-membership.ts";
import { parseDisplayName } from "../domain/check-name.ts";
import { newResourceId } from "../platform/ids.ts";
import { findPage, type Page, type PageRequest } from "../platform/pagination.ts";
import { revokePendingInvites } from "./invites.ts";
import {
  assertCanManageTeam,
  getCallerMembershipAndLockTeam,
  teamRankTooLowError,
  resolveVisibleMemberships,
} from "./membership.ts";
import { lockActiveUser, requirePersonUserId } from "./require-person.ts";
import { capTeamKeyRank, type TeamExtensionPoolContributorRole } from "./ranks.ts";
import { addTeamMember } from "./roster.ts";
import { TeamMemberEntity } from "./team-member.entity.ts";
import type { TeamDependencies } from "./team-dependencies.ts";
import { TeamEntity, type ExtensionSharingDefaults, type Team } from "./team.entity.ts";

/** A team as one caller sees it. */
export interface TeamWithRank {
  readonly team: Team;
  /** The rank that the caller acts with. */
  readonly rank: TeamRank;
}

/** The fields that a PATCH sets; lengths are checked. */
export interface TeamPatch {
  readonly name?: string;
  readonly shareDefaults?: ExtensionSharingDefaults;
  readonly sharePolicy?: TeamExtensionPoolContributorRole;
  readonly requireManualConfirm?: boolean;
}

/** What a new team shares. */
const newTeamSettings = {
  shareDefaults: { mcp: false, rules: true, skills: true },
  sharePolicy: "members",
  requireManualConfirm: false,
} as const;

/** A page of the teams that the caller is a member of, oldest first; a team key sees its own. */
export async function listTeams(
  em: EntityManager,
  { principal }: AuditActor,
  request: PageRequest,
): Promise<Page<TeamWithRank>> {
  const seats = resolveVisibleMemberships(principal);
  if (seats === undefined) return { rows: [], hasMore: false };
  const page = await findPage(em, TeamMemberEntity, request, {
    everListedFilter: seats.where,
    listed: { leftAt: null },
    // An id begins with the time at which it was made.
    orderBy: { team: "asc" },
    byId: (id) => ({ team: id }),
    populate: ["team"],
  });
  const rows = page.rows.map(({ team, role }) => ({
    team,
    rank: seats.isTeamKey ? capTeamKeyRank(role) : role,
  }));
  return { rows, hasMore: page.hasMore };
}

/** Makes a team with the caller as its one owner. Throws 403 for a team key. */
export async function createTeam(
  em: EntityManager,
  actor: AuditActor,
  input: { readonly name: string },
): Promise<TeamWithRank> {
  const userId = requirePersonUserId(actor.principal, "create teams");
  const name = parseDisplayName(input.name);
  const team = await em.transactional(async (tx) => {
    await lockActiveUser(tx, userId);
    const made = tx.create(TeamEntity, {
      id: newResourceId("team", actor.at.getTime()),
      name,
      ...newTeamSettings,
      memberCount: 0,
      createdAt: actor.at,
      deletedAt: null,
    });
    tx.persist(made);
    recordTeam(tx, actor, made.id, "created", { after: teamDetails(made) });
    await addTeamMember(tx, actor, made, { userId, role: "owner", confirmed: true });
    return made;
  });
  return { team, rank: "owner" };
}

/**
 * Changes the fields that were sent. Throws 404 for whoever is not a member, 403
 * below admin. Who waits for confirmation may not do away with confirmation.
 */
export function updateTeam(
  em: EntityManager,
  actor: AuditActor,
  teamId: string,
  changes: TeamPatch,
): Promise<TeamWithRank> {
  return em.transactional(async (tx) => {
    const caller = await getCallerMembershipAndLockTeam(tx, teamId, actor.principal);
    assertCanManageTeam(caller);
    if (changes.requireManualConfirm !== undefined && !caller.confirmed) {
      throw teamRankTooLowError(
        "A member who waits for confirmation may not change who is confirmed.",
      );
    }
    const { team, rank } = caller;
    const before = teamDetails(team);
    Object.assign(team, changes);
    const details = diffAuditEventDetails(before, teamDetails(team));
    if (details !== undefined) recordTeam(tx, actor, teamId, "updated", details);
    return { team, rank };
  });
}

/**
 * Deletes a team for ever: memberships and invites end, its keys are revoked,
 * what its account held in other domains goes. The row stays, because audit
 * events and cursors name it. Throws 404, and 403 below owner.
 */
export function deleteTeam(
  em: EntityManager,
  actor: AuditActor,
  teamId: string,
  dependencies: TeamDependencies,
): Promise<void> {
  return em.transactional(async (tx) => {
    const { team, rank } = await getCallerMembershipAndLockTeam(tx, teamId, actor.principal);
    if (rank !== "owner") throw teamRankTooLowError("Only an owner may delete the team.");
    const before = teamDetails(team);
    await dependencies.pooledItems.onTeamDeleted(tx, actor, teamId);
    await revokePendingInvites(tx, actor, teamId, dependencies);
    await tx.nativeUpdate(TeamMemberEntity, { team: teamId, leftAt: null }, { leftAt: actor.at });
    await revokeTeamKeys(tx, { teamId }, actor.at);
    for (const eraseAccount of dependencies.erase) await eraseAccount(tx, teamId, actor.at);
    Object.assign(team, { memberCount: 0, deletedAt: actor.at });
    recordTeam(tx, actor, teamId, "deleted", { before });
  });
}

/** What the audit log says of a team, in the spelling of the REST body. */
function teamDetails(team: Team): AuditDetails {
  const { name, sharePolicy, requireManualConfirm } = team;
  return {
    name,
    share_defaults: { ...team.shareDefaults },
    share_policy: sharePolicy,
    require_manual_confirm: requireManualConfirm,
  };
}

function recordTeam(
  em: EntityManager,
  actor: AuditActor,
  teamId: string,
  change: "created" | "updated" | "deleted",
  details: { readonly before?: AuditDetails; readonly after?: AuditDetails },
): void {
  recordAudit(em, actor, { accountId: teamId, type: `team.${change}`, target: teamId, ...details });
}

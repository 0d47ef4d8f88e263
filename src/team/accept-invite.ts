import type { EntityManager } from "@mikro-orm/postgresql";
import type { AuditActor } from "../domain/audit/audit.ts";
import type { User } from "../account/user.entity.ts";
import { ApiError } from "../platform/errors.ts";
import {
  endTeamInvite,
  requireInviteByFilter,
  isInvitePending,
  inviteNotPendingError,
} from "./invites.ts";
import { lockTeam } from "./membership.ts";
import { lockActiveUser, requirePersonUserId } from "./require-person.ts";
import type { AgentExtensionKind } from "./pooled-items.ts";
import { agentExtensionKinds } from "./pooled-items.ts";
import { canPoolExtensions } from "./ranks.ts";
import { addTeamMember } from "./roster.ts";
import type { TeamInvite } from "./team-invite.entity.ts";
import type { TeamDependencies } from "./team-dependencies.ts";
import type { Team } from "./team.entity.ts";
import type { TeamWithRank } from "./teams.ts";

/** What the one who accepts wants to pool; what is not said is as the team's defaults say. */
export type InviteAcceptanceShareChoice = Readonly<Partial<Record<AgentExtensionKind, boolean>>>;

/**
 * Makes the caller a member of the team that invited the caller's address. Of
 * parallel calls one joins. Throws 403 for a team key, 404 for a code never
 * issued, 403 `invite_email_mismatch` before anything of the invite's state is
 * told, 409 `conflict` when it is not pending.
 */
export function acceptInvite(
  em: EntityManager,
  actor: AuditActor,
  code: string,
  share: InviteAcceptanceShareChoice,
  dependencies: TeamDependencies,
): Promise<TeamWithRank> {
  const userId = requirePersonUserId(actor.principal, "accept invites");
  return em.transactional(async (tx) => {
    const user = await lockActiveUser(tx, userId);
    const found = await requireUserInviteByCode(tx, user, dependencies.codes.hash(code));
    if (!isInvitePending(found, actor.at)) throw inviteNotPendingError();
    const team = await lockTeam(tx, found.team.id);
    const invite = await stillPending(tx, found, actor.at);
    const confirmed = !team.requireManualConfirm;
    await addTeamMember(tx, actor, team, { userId, role: invite.role, confirmed });
    await endTeamInvite(tx, actor, invite, "accepted", dependencies);
    const kinds = kindsToPool(team, invite, share);
    await dependencies.pooledItems.onJoin(tx, actor, { teamId: team.id, userId }, kinds);
    return { team, rank: invite.role };
  });
}

/** The invite of a user's address under one of its codes. Throws 404, and 403 `invite_email_mismatch`. */
export async function requireUserInviteByCode(
  em: EntityManager,
  { emailNormalised }: User,
  codeHash: string,
): Promise<TeamInvite> {
  const invite = await requireInviteByFilter(em, { codeHash });
  if (invite.emailNormalised !== emailNormalised) throw wrongAddress();
  return invite;
}

/** Read again under the team's lock: another call may have ended it meanwhile. */
async function stillPending(em: EntityManager, found: TeamInvite, at: Date): Promise<TeamInvite> {
  const invite = await em.refresh(found);
  if (invite === null || !isInvitePending(invite, at)) throw inviteNotPendingError();
  return invite;
}

/** MCP servers stay unshared unless they are asked for, whatever the defaults say. */
function kindsToPool(
  team: Team,
  { role }: TeamInvite,
  share: InviteAcceptanceShareChoice,
): AgentExtensionKind[] {
  if (!canPoolExtensions(role, team.sharePolicy)) return [];
  const defaults = { ...team.shareDefaults, mcp: false };
  return agentExtensionKinds.filter((kind) => share[kind] ?? defaults[kind]);
}

function wrongAddress(): ApiError {
  return new ApiError("invite_email_mismatch", "The invite was sent to another e-mail address.");
}

import type { EntityManager, FilterQuery } from "@mikro-orm/postgresql";
import type { AuditDetails } from "../domain/audit/audit-event.entity.ts";
import { recordAudit, type AuditActor } from "../domain/audit/audit.ts";
import { parseEmailAddress, type ParsedEmailAddress } from "../account/email-address.ts";
import type { TeamRank } from "../account/team-membership.ts";
import { findUserByEmail } from "../account/users.ts";
import { ApiError, invalidRequestError, notFoundError } from "../platform/errors.ts";
import { newResourceId } from "../platform/ids.ts";
import { findPage, type Page, type PageRequest } from "../platform/pagination.ts";
import { buildInviteMail } from "./invite-mail.ts";
import { assertInviteRateLimit } from "./invite-limit.ts";
import {
  assertCanManageTeam,
  getCallerMembershipAndLockTeam,
  getCallerMembership,
  teamRankTooLowError,
  type CallerMembership,
} from "./membership.ts";
import { canInviteMember } from "./ranks.ts";
import { TeamInviteEntity, type InviteState, type TeamInvite } from "./team-invite.entity.ts";
import { TeamMemberEntity } from "./team-member.entity.ts";
import type { TeamDependencies } from "./team-dependencies.ts";
import { withTimeoutFallback } from "../platform/with-timeout.ts";

/** Seven days. */
export const inviteLifetimeMs = 7 * 24 * 60 * 60_000;

/** A page of the pending invites in the order they were sent; codes are the cursors. */
export async function listPendingInvites(
  em: EntityManager,
  actor: AuditActor,
  teamId: string,
  request: PageRequest,
  { codes }: Pick<TeamDependencies, "codes">,
): Promise<Page<TeamInvite>> {
  assertCanManageTeam(await getCallerMembership(em, teamId, actor.principal));
  return findPage(em, TeamInviteEntity, request, {
    everListedFilter: { team: teamId },
    listed: pendingTeamInviteFilter(actor.at),
    orderBy: { createdAt: "asc", id: "asc" },
    byId: (code) => ({ codeHash: codes.hash(code) }),
  });
}

/**
 * Invites an address and mails the code. A pending invite to the same address
 * is replaced. Throws 400 with `param: email` for what is no address and for who
 * is a member already, 404, 403 unless the role is below the caller's own, and 429
 * (see `assertInviteRateLimit`).
 */
export async function createInvite(
  em: EntityManager,
  actor: AuditActor,
  teamId: string,
  input: { readonly email: string; readonly role: TeamRank },
  dependencies: TeamDependencies,
): Promise<TeamInvite> {
  const address = parseEmailAddress(input.email);
  const invite = await em.transactional(async (tx) => {
    const caller = await getCallerMembershipAndLockTeam(tx, teamId, actor.principal);
    assertCanInvite(caller.rank, input.role);
    await assertNoMember(tx, teamId, address);
    const before = { team: teamId, emailNormalised: address.normalized, state: "pending" } as const;
    for (const replaced of await tx.find(TeamInviteEntity, before)) {
      await endTeamInvite(tx, actor, replaced, "replaced", dependencies);
    }
    return addInvite(tx, actor, caller, address, input.role, dependencies);
  });
  await firstAttempt(invite, dependencies);
  return invite;
}

/**
 * Replaces a pending invite with a fresh code and seven more days, and mails it
 * again. Throws 404, 403 unless its role is below the caller's own, 409
 * `conflict` when it is not pending, and 429 (see `assertInviteRateLimit`).
 */
export async function resendInvite(
  em: EntityManager,
  actor: AuditActor,
  teamId: string,
  code: string,
  dependencies: TeamDependencies,
): Promise<TeamInvite> {
  const fresh = await em.transactional(async (tx) => {
    const caller = await getCallerMembershipAndLockTeam(tx, teamId, actor.principal);
    const invite = await requireInviteByFilter(tx, {
      team: teamId,
      codeHash: dependencies.codes.hash(code),
    });
    assertCanInvite(caller.rank, invite.role);
    if (!isInvitePending(invite, actor.at)) throw inviteNotPendingError();
    await endTeamInvite(tx, actor, invite, "replaced", dependencies);
    return addInvite(tx, actor, caller, parseEmailAddress(invite.email), invite.role, dependencies);
  });
  await firstAttempt(fresh, dependencies);
  return fresh;
}

/** Makes a pending invite worthless at once. Throws 404 also for one that has ended, 403 below admin. */
export function revokeInvite(
  em: EntityManager,
  actor: AuditActor,
  teamId: string,
  code: string,
  dependencies: TeamDependencies,
): Promise<void> {
  return em.transactional(async (tx) => {
    const caller = await getCallerMembershipAndLockTeam(tx, teamId, actor.principal);
    const byCode = { team: teamId, codeHash: dependencies.codes.hash(code) };
    const invite = await requireInviteByFilter(tx, {
      ...byCode,
      ...pendingTeamInviteFilter(actor.at),
    });
    assertCanManageTeam(caller);
    await endTeamInvite(tx, actor, invite, "revoked", dependencies);
  });
}

/** Revokes every pending invite of a team that is being deleted. */
export async function revokePendingInvites(
  em: EntityManager,
  actor: AuditActor,
  teamId: string,
  dependencies: TeamDependencies,
): Promise<void> {
  const pending = await em.find(TeamInviteEntity, { team: teamId, state: "pending" });
  for (const invite of pending) await endTeamInvite(em, actor, invite, "revoked", dependencies);
}

/** An invite under one of its codes. Throws 404 `not_found`. */
export async function requireInviteByFilter(
  em: EntityManager,
  where: FilterQuery<TeamInvite>,
): Promise<TeamInvite> {
  const invite = await em.findOne(TeamInviteEntity, where);
  if (invite === null) throw notFoundError("invite", "server");
  return invite;
}

export function isInvitePending({ state, expiresAt }: TeamInvite, at: Date): boolean {
  return state === "pending" && expiresAt > at;
}

/** The refusal of a code that was used, revoked, replaced or has expired: which of them is not said. */
export function inviteNotPendingError(): ApiError {
  return new ApiError(
    "conflict",
    "The invite was accepted, revoked or replaced, or has expired. Whoever accepted it is a member already; others ask for a new one.",
  );
}

/** Ends an invite in the transaction of `em`: its code works no more, its mail is not tried again. */
export async function endTeamInvite(
  em: EntityManager,
  actor: AuditActor,
  invite: TeamInvite,
  state: Exclude<InviteState, "pending">,
  { mail }: Pick<TeamDependencies, "mail">,
): Promise<void> {
  // At once: a new invite to the address may follow in the same transaction.
  const ended = { state, endedAt: actor.at, code: null };
  await em.nativeUpdate(TeamInviteEntity, { id: invite.id, state: "pending" }, ended);
  await mail.withdraw(em, invite.mailId);
  recordInvite(em, actor, invite, state, { before: inviteDetails(invite) });
}

async function addInvite(
  em: EntityManager,
  actor: AuditActor,
  caller: CallerMembership,
  address: ParsedEmailAddress,
  role: TeamRank,
  { codes, mail, publicUrl }: TeamDependencies,
): Promise<TeamInvite> {
  await assertInviteRateLimit(em, caller, address, actor.at);
  const { team, userId: sentBy } = caller;
  const id = newResourceId("invite", actor.at.getTime());
  const expiresAt = new Date(actor.at.getTime() + inviteLifetimeMs);
  const { code, stored } = codes.issue(id);
  const letter = { mailbox: address.mailbox, teamName: team.name, role, code, expiresAt };
  const message = buildInviteMail({ ...letter, publicUrl: publicUrl() });
  const mailId = mail.enqueue(em, message, { accountId: team.id, lifetimeMs: inviteLifetimeMs });
  const invite = em.create(TeamInviteEntity, {
    id,
    team,
    ...stored,
    email: address.original,
    emailNormalised: address.normalized,
    role,
    state: "pending",
    sentBy,
    mailId,
    createdAt: actor.at,
    expiresAt,
    endedAt: null,
  });
  em.persist(invite);
  recordInvite(em, actor, invite, "sent", { after: inviteDetails(invite) });
  return invite;
}

/** The answer waits for the first attempt, but not for ever; it is repeated from the database. */
async function firstAttempt(
  { mailId }: TeamInvite,
  { mail, firstAttemptMs }: TeamDependencies,
): Promise<void> {
  await withTimeoutFallback(mail.deliver(mailId), firstAttemptMs, undefined);
}

/** Throws 403 `insufficient_scope` unless the role is below a caller who invites. */
export function assertCanInvite(rank: TeamRank, role: TeamRank): void {
  if (canInviteMember(rank, role)) return;
  throw teamRankTooLowError("Admins and owners invite, for a role below their own.");
}

async function assertNoMember(
  em: EntityManager,
  teamId: string,
  { normalized: normalised }: ParsedEmailAddress,
): Promise<void> {
  const user = await findUserByEmail(em, normalised);
  if (user === undefined) return;
  const seat = { team: teamId, user: user.id, leftAt: null };
  if ((await em.count(TeamMemberEntity, seat)) === 0) return;
  throw invalidRequestError("email", "`email` belongs to a member of the team already.");
}

/** Invites that can be accepted at that time. */
export function pendingTeamInviteFilter(at: Date) {
  return { state: "pending", expiresAt: { $gt: at } } as const;
}

/** Without the address, which must not stay for ever (see `createTeamAuditEventConverter`), and without the code. */
function inviteDetails({ role, expiresAt }: TeamInvite): AuditDetails {
  return { role, expires_at: expiresAt.toISOString() };
}

function recordInvite(
  em: EntityManager,
  actor: AuditActor,
  invite: TeamInvite,
  change: "sent" | Exclude<InviteState, "pending">,
  details: { readonly before?: AuditDetails; readonly after?: AuditDetails },
): void {
  const { id: target, team } = invite;
  recordAudit(em, actor, { accountId: team.id, type: `invite.${change}`, target, ...details });
}

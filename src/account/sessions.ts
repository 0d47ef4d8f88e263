import type { EntityManager } from "@mikro-orm/postgresql";
import { generateCredentialToken } from "../platform/crypto/token.ts";
import { ApiError, notFoundError } from "../platform/errors.ts";
import { newResourceId } from "../platform/ids.ts";
import { findPage, type Page, type PageRequest } from "../platform/pagination.ts";
import { recordAudit, type AuditActor } from "../domain/audit/audit.ts";
import { SessionEntity, type Session } from "./session.entity.ts";
import type { TokenHasher } from "./token-hasher.ts";
import type { User } from "./user.entity.ts";

/** A session ends after thirty days in which it was not used. */
export const sessionLifetimeMs = 30 * 24 * 60 * 60_000;

/**
 * Adds a session of a user to the transaction of `em`. The token is shown this
 * once. Throws 409 `conflict` for a disabled user.
 */
export function createSession(
  em: EntityManager,
  actor: AuditActor,
  user: User,
  hasher: TokenHasher,
): { session: Session; token: string } {
  if (user.disabledAt !== null) throw new ApiError("conflict", "The user is disabled.");
  const token = generateCredentialToken("cws");
  const { hash, pepperId } = hasher.hash(token);
  const session = em.create(SessionEntity, {
    id: newResourceId("session", actor.at.getTime()),
    accountId: user.id,
    user,
    tokenHash: hash,
    pepperId,
    createdAt: actor.at,
    lastUsedAt: null,
    expiresAt: new Date(actor.at.getTime() + sessionLifetimeMs),
    endedAt: null,
  });
  em.persist(session);
  // Signing in happens without a credential, and is done by the person; else by the operator.
  const userId = actor.principal.kind === "anonymous" ? user.id : undefined;
  const event = { accountId: user.id, type: "session.created", target: session.id };
  recordAudit(em, actor, { ...event, userId });
  return { session, token };
}

/** The live session of a token, its user loaded; undefined when there is none. */
export async function findSession(
  em: EntityManager,
  hasher: TokenHasher,
  token: string,
  now: Date,
): Promise<Session | undefined> {
  const session = await em.findOne(SessionEntity, {
    tokenHash: hasher.hash(token).hash,
    ...live(now),
    user: { disabledAt: null, deletedAt: null },
  });
  return session ?? undefined;
}

/** A page of a user's live sessions, oldest first. */
export function listSessions(
  em: EntityManager,
  userId: string,
  now: Date,
  request: PageRequest,
): Promise<Page<Session>> {
  return findPage(em, SessionEntity, request, {
    everListedFilter: { user: userId },
    listed: live(now),
    orderBy: { createdAt: "asc", id: "asc" },
    byId: (id) => ({ id }),
  });
}

/** Ends one live session of a user. Throws 404 `not_found` when there is none. */
export async function revokeSession(
  em: EntityManager,
  actor: AuditActor,
  userId: string,
  sessionId: string,
): Promise<void> {
  await em.transactional(async (tx) => {
    const where = { id: sessionId, user: userId, ...live(actor.at) };
    const ended = await tx.nativeUpdate(SessionEntity, where, { endedAt: actor.at });
    if (ended === 0) throw notFoundError("session");
    recordAudit(tx, actor, { accountId: userId, type: "session.revoked", target: sessionId });
  });
}

/** Ends every session of a user in the transaction of `em`. */
export async function revokeUserSessions(
  em: EntityManager,
  userId: string,
  at: Date,
): Promise<void> {
  await em.nativeUpdate(SessionEntity, { user: userId, endedAt: null }, { endedAt: at });
}

/** Notes when sessions were last used, which puts off their end. Sessions that are over stay so. */
export async function recordSessionsLastUsed(
  em: EntityManager,
  sessionIds: readonly string[],
  at: Date,
): Promise<void> {
  await em.nativeUpdate(
    SessionEntity,
    { id: { $in: [...sessionIds] }, ...live(at) },
    { lastUsedAt: at, expiresAt: new Date(at.getTime() + sessionLifetimeMs) },
  );
}

function live(now: Date) {
  return { endedAt: null, expiresAt: { $gt: now } };
}

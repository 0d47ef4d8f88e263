import { LockMode, type EntityManager } from "@mikro-orm/postgresql";
import { generateCredentialToken } from "../platform/crypto/token.ts";
import { ApiError, notFoundError } from "../platform/errors.ts";
import { newResourceId } from "../platform/ids.ts";
import { recordAudit, type AuditActor } from "../domain/audit/audit.ts";
import { CallerKeySecretEntity } from "./caller-key-secret.entity.ts";
import { CallerKeyEntity, type CallerKeyRow } from "./caller-key.entity.ts";
import {
  normalizeCallerKeyPatch,
  defaultCallerKeySettings,
  serializeKeySettingsForAudit,
  type CallerKeyPatch,
} from "./key-settings.ts";
import type { TeamMembershipLookup } from "./team-membership.ts";
import type { TokenHasher } from "./token-hasher.ts";
import { getUser } from "./users.ts";

const prefixLength = 10;

/** Live keys that one person has created, team keys included: what is bounded per key is bounded per person. */
export const maxActiveKeysPerUser = 200;

/** A key with its secret, which is shown this once. */
export interface CallerKeyWithSecret {
  readonly key: CallerKeyRow;
  readonly secret: string;
}

/** Who shall own a new key; with a team it is the team's and the user its creator. */
export interface CallerKeyOwner {
  readonly userId: string;
  readonly teamId?: string | undefined;
}

/**
 * Makes a key. Settings that are not sent get the defaults. Throws 404
 * `not_found` when the user does not exist or is no member of the team, and
 * 409 `conflict` when the user has created `maxActiveKeysPerUser` that are live.
 */
export async function createKey(
  em: EntityManager,
  actor: AuditActor,
  owner: CallerKeyOwner,
  changes: CallerKeyPatch,
  ports: { readonly hasher: TokenHasher; readonly teams: TeamMembershipLookup },
): Promise<CallerKeyWithSecret> {
  const { userId, teamId } = owner;
  const checked = normalizeCallerKeyPatch(changes);
  return em.transactional(async (tx) => {
    // Whoever locks a user and a team takes the user first.
    await getUser(tx, userId, LockMode.PESSIMISTIC_READ);
    if (teamId !== undefined && !(await ports.teams.lockedRankOf(tx, teamId, userId))) {
      throw notFoundError("team", "server");
    }
    await assertBelowCallerKeyLimit(tx, actor, userId);
    return insertCallerKey(tx, actor, owner, checked, ports.hasher);
  });
}

/**
 * Throws 409 `conflict` if a person has created `maxActiveKeysPerUser` keys that are neither revoked
 * nor expired, `exceptId` not counted. Until the transaction of `em` ends no other passes.
 */
export async function assertBelowCallerKeyLimit(
  em: EntityManager,
  { at }: AuditActor,
  userId: string,
  exceptId?: string,
): Promise<void> {
  // Two that count at once would both find room.
  await em.execute("select pg_advisory_xact_lock(hashtextextended('keys of ' || ?, 0))", [userId]);
  const count = await em.count(CallerKeyEntity, {
    user: userId,
    revokedAt: null,
    $or: [{ expiresAt: null }, { expiresAt: { $gt: at } }],
    ...(exceptId !== undefined && { id: { $ne: exceptId } }),
  });
  if (count < maxActiveKeysPerUser) return;
  const message = `This person has ${count} live caller keys; the maximum is ${maxActiveKeysPerUser}. Revoke one with DELETE /v1/keys/{id}.`;
  throw new ApiError("conflict", message);
}

/** Adds a key and its event to the transaction of `em`, unchecked. */
export function insertCallerKey(
  em: EntityManager,
  actor: AuditActor,
  { userId, teamId }: CallerKeyOwner,
  changes: CallerKeyPatch,
  hasher: TokenHasher,
): CallerKeyWithSecret {
  const secret = generateCredentialToken("cwk");
  const key = em.create(CallerKeyEntity, {
    ...defaultCallerKeySettings,
    ...changes,
    id: newResourceId("key", actor.at.getTime()),
    accountId: teamId ?? userId,
    user: userId,
    teamId: teamId ?? null,
    prefix: callerKeyDisplayPrefix(secret),
    createdAt: actor.at,
    rotatedAt: null,
    lastUsedAt: null,
    revokedAt: null,
  });
  em.persist(key);
  insertCallerKeySecretHash(em, actor, key, secret, hasher);
  const after = serializeKeySettingsForAudit(key);
  recordAudit(em, actor, { accountId: key.accountId, type: "key.created", target: key.id, after });
  return { key, secret };
}

/** What a key is recognised by in lists. */
export function callerKeyDisplayPrefix(secret: string): string {
  return secret.slice(0, prefixLength);
}

/** Adds a secret of a key to the transaction of `em`, as a keyed hash. */
export function insertCallerKeySecretHash(
  em: EntityManager,
  actor: AuditActor,
  key: CallerKeyRow,
  secret: string,
  hasher: TokenHasher,
): void {
  const { hash, pepperId } = hasher.hash(secret);
  const owner = { accountId: key.accountId, key };
  const times = { createdAt: actor.at, retiredAt: null };
  em.persist(em.create(CallerKeySecretEntity, { hash, pepperId, ...owner, ...times }));
}

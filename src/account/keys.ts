import { LockMode, type EntityManager } from "@mikro-orm/postgresql";
import { generateCredentialToken } from "../platform/crypto/token.ts";
import { ApiError, notFoundError } from "../platform/errors.ts";
import { diffAuditEventDetails } from "../domain/audit/audit-details.ts";
import { recordAudit, type AuditActor } from "../domain/audit/audit.ts";
import { CallerKeySecretEntity } from "./caller-key-secret.entity.ts";
import { CallerKeyEntity, type CallerKeyRow } from "./caller-key.entity.ts";
import {
  insertCallerKeySecretHash,
  assertBelowCallerKeyLimit,
  callerKeyDisplayPrefix,
  type CallerKeyWithSecret,
} from "./create-key.ts";
import type { CallerKeyFilter } from "./key-filter.ts";
import { mergeCallerKeyLimitPatch, type CallerKeyLimitPatch } from "./key-limit-patch.ts";
import {
  normalizeCallerKeyPatch,
  serializeKeySettingsForAudit,
  type CallerKeyPatch,
} from "./key-settings.ts";
import type { TokenHasher } from "./token-hasher.ts";

/**
 * Changes the settings that were sent, and of `parts` single members. Only the maker of a team key may: its
 * managers see it and get 403. Throws 404 `not_found` outside the selection, and 409 `conflict`
 * if an expired key would live again and its creator has as many live keys as allowed.
 */
export function updateKey(
  em: EntityManager,
  actor: AuditActor,
  keyId: string,
  selection: CallerKeyFilter,
  changes: CallerKeyPatch,
  parts: CallerKeyLimitPatch = {},
): Promise<CallerKeyRow> {
  const checked = normalizeCallerKeyPatch(changes);
  return em.transactional(async (tx) => {
    const key = await lockKey(tx, actor, keyId, selection);
    assertCreator(actor, key);
    const before = serializeKeySettingsForAudit(key);
    const wasExpired = isExpired(key, actor);
    Object.assign(key, mergeCallerKeyLimitPatch(key, parts), checked);
    const livesAgain = wasExpired && !isExpired(key, actor) && key.revokedAt === null;
    if (livesAgain) await assertBelowCallerKeyLimit(tx, actor, key.user.id, key.id);
    const details = diffAuditEventDetails(before, serializeKeySettingsForAudit(key));
    if (details !== undefined) recordKeyEvent(tx, actor, key, "key.updated", details);
    return key;
  });
}

/**
 * Gives a key a new secret and retires the old one in the same moment. Throws
 * 409 `conflict` for a revoked key, or if its creator has more live keys than allowed; 403
 * and 404 like `updateKey`.
 */
export function rotateKey(
  em: EntityManager,
  actor: AuditActor,
  keyId: string,
  selection: CallerKeyFilter,
  hasher: TokenHasher,
): Promise<CallerKeyWithSecret> {
  return em.transactional(async (tx) => {
    const key = await lockKey(tx, actor, keyId, selection);
    assertCreator(actor, key);
    if (key.revokedAt !== null) throw new ApiError("conflict", "The key is revoked for ever.");
    await assertBelowCallerKeyLimit(tx, actor, key.user.id, keyId);
    const live = { key: keyId, retiredAt: null };
    await tx.nativeUpdate(CallerKeySecretEntity, live, { retiredAt: actor.at });
    const secret = generateCredentialToken("cwk");
    Object.assign(key, { prefix: callerKeyDisplayPrefix(secret), rotatedAt: actor.at });
    insertCallerKeySecretHash(tx, actor, key, secret, hasher);
    recordKeyEvent(tx, actor, key, "key.rotated");
    return { key, secret };
  });
}

/** Revokes a key for ever; again is no change. Throws 404 `not_found` outside the selection. */
export function revokeKey(
  em: EntityManager,
  actor: AuditActor,
  keyId: string,
  selection: CallerKeyFilter,
): Promise<CallerKeyRow> {
  return em.transactional(async (tx) => {
    const key = await lockKey(tx, actor, keyId, selection);
    if (key.revokedAt !== null) return key;
    key.revokedAt = actor.at;
    recordKeyEvent(tx, actor, key, "key.revoked");
    return key;
  });
}

/** Notes when keys were last used. */
export async function recordKeysLastUsed(
  em: EntityManager,
  keyIds: readonly string[],
  at: Date,
): Promise<void> {
  await em.nativeUpdate(CallerKeyEntity, { id: { $in: [...keyIds] } }, { lastUsedAt: at });
}

async function lockKey(
  em: EntityManager,
  { principal }: AuditActor,
  keyId: string,
  selection: CallerKeyFilter,
): Promise<CallerKeyRow> {
  const where = { $and: [{ id: keyId }, selection] };
  const key = await em.findOne(CallerKeyEntity, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (key === null)
    throw notFoundError("key", principal.kind === "operator" ? "server" : "account");
  return key;
}

function isExpired({ expiresAt }: CallerKeyRow, { at }: AuditActor): boolean {
  return expiresAt !== null && expiresAt <= at;
}

/** A team key acts with its maker's rank, so nobody else may get its secret or widen it. */
function assertCreator({ principal }: AuditActor, key: CallerKeyRow): void {
  if (principal.kind !== "session" || principal.userId === key.user.id) return;
  throw new ApiError("insufficient_scope", "Only the maker of a team key may change or rotate it.");
}

function recordKeyEvent(
  em: EntityManager,
  actor: AuditActor,
  key: CallerKeyRow,
  type: string,
  details: Partial<Pick<Parameters<typeof recordAudit>[2], "before" | "after">> = {},
): void {
  recordAudit(em, actor, { accountId: key.accountId, type, target: key.id, ...details });
}

import { LockMode, type EntityManager } from "@mikro-orm/postgresql";
import { generateToken } from "../platform/crypto/token.ts";
import { ApiError, notFoundError } from "../platform/errors.ts";
import { diffAuditEventDetails } from "../domain/audit/audit-details.ts";
import { recordAudit, type Actor } from "../domain/audit/audit.ts";
import { CallerKeySecretEntity } from "./caller-key-secret.entity.ts";
import { CallerKeyEntity, type CallerKeyRow } from "./caller-key.entity.ts";
import {
  insertKeySecretHash,
  assertBelowKeyLimit,
  callerKeyPrefix,
  type KeyWithSecret,
} from "./create-key.ts";
import type { KeyFilter } from "./key-filter.ts";
import { mergeKeyLimitPatch, type KeyLimitPatch } from "./key-limit-patch.ts";
import {
  normalizeKeyChanges,
  serializeKeySettingsForAudit,
  type KeyChanges,
} from "./key-settings.ts";
import type { TokenHasher } from "./token-hasher.ts";

/**
 * Changes the settings that were sent, and of `parts` single members. Only the maker of a team key may: its
 * managers see it and get 403. Throws 404 `not_found` outside the selection, and 409 `conflict`
 * if an expired key would live again and its creator has as many live keys as allowed.
 */
export function updateKey(
  em: EntityManager,
  actor: Actor,
  keyId: string,
  selection: KeyFilter,
  changes: KeyChanges,
  parts: KeyLimitPatch = {},
): Promise<CallerKeyRow> {
  const checked = normalizeKeyChanges(changes);
  return em.transactional(async (tx) => {
    const key = await lockKey(tx, actor, keyId, selection);
    assertCreator(actor, key);
    const before = serializeKeySettingsForAudit(key);
    const wasExpired = isExpired(key, actor);
    Object.assign(key, mergeKeyLimitPatch(key, parts), checked);
    const livesAgain = wasExpired && !isExpired(key, actor) && key.revokedAt === null;
    if (livesAgain) await assertBelowKeyLimit(tx, actor, key.user.id, key.id);
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
  actor: Actor,
  keyId: string,
  selection: KeyFilter,
  hasher: TokenHasher,
): Promise<KeyWithSecret> {
  return em.transactional(async (tx) => {
    const key = await lockKey(tx, actor, keyId, selection);
    assertCreator(actor, key);
    if (key.revokedAt !== null) throw new ApiError("conflict", "The key is revoked for ever.");
    await assertBelowKeyLimit(tx, actor, key.user.id, keyId);
    const live = { key: keyId, retiredAt: null };
    await tx.nativeUpdate(CallerKeySecretEntity, live, { retiredAt: actor.at });
    const secret = generateToken("cwk");
    Object.assign(key, { prefix: callerKeyPrefix(secret), rotatedAt: actor.at });
    insertKeySecretHash(tx, actor, key, secret, hasher);
    recordKeyEvent(tx, actor, key, "key.rotated");
    return { key, secret };
  });
}

/** Revokes a key for ever; again is no change. Throws 404 `not_found` outside the selection. */
export function revokeKey(
  em: EntityManager,
  actor: Actor,
  keyId: string,
  selection: KeyFilter,
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
export async function recordKeyUse(
  em: EntityManager,
  keyIds: readonly string[],
  at: Date,
): Promise<void> {
  await em.nativeUpdate(CallerKeyEntity, { id: { $in: [...keyIds] } }, { lastUsedAt: at });
}

async function lockKey(
  em: EntityManager,
  { principal }: Actor,
  keyId: string,
  selection: KeyFilter,
): Promise<CallerKeyRow> {
  const where = { $and: [{ id: keyId }, selection] };
  const key = await em.findOne(CallerKeyEntity, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (key === null)
    throw notFoundError("key", principal.kind === "operator" ? "server" : "account");
  return key;
}

function isExpired({ expiresAt }: CallerKeyRow, { at }: Actor): boolean {
  return expiresAt !== null && expiresAt <= at;
}

/** A team key acts with its maker's rank, so nobody else may get its secret or widen it. */
function assertCreator({ principal }: Actor, key: CallerKeyRow): void {
  if (principal.kind !== "session" || principal.userId === key.user.id) return;
  throw new ApiError("insufficient_scope", "Only the maker of a team key may change or rotate it.");
}

function recordKeyEvent(
  em: EntityManager,
  actor: Actor,
  key: CallerKeyRow,
  type: string,
  details: Partial<Pick<Parameters<typeof recordAudit>[2], "before" | "after">> = {},
): void {
  recordAudit(em, actor, { accountId: key.accountId, type, target: key.id, ...details });
}

import { LockMode, type EntityManager, type FilterQuery } from "@mikro-orm/postgresql";
import { newToken } from "../platform/crypto/token.ts";
import { ApiError, notFound } from "../platform/errors.ts";
import { newId } from "../platform/ids.ts";
import { findPage, type Page, type PageRequest } from "../platform/pagination.ts";
import { changedDetails } from "./audit-details.ts";
import { recordAudit, type Actor } from "./audit.ts";
import { CallerKeySecretSchema } from "./caller-key-secret.entity.ts";
import { CallerKeySchema, type CallerKey } from "./caller-key.entity.ts";
import {
  checkKeyChanges,
  defaultKeySettings,
  keyDetails,
  type KeyChanges,
} from "./key-settings.ts";
import type { TeamMembership } from "./team-membership.ts";
import type { TokenHasher } from "./token-hasher.ts";
import { findUser } from "./users.ts";

const prefixLength = 10;

/** A key with its secret, which is shown this once. */
export interface KeyWithSecret {
  readonly key: CallerKey;
  readonly secret: string;
}

/** Who shall own a new key; with a team it is the team's and the user its creator. */
export interface KeyOwner {
  readonly userId: string;
  readonly teamId?: string | undefined;
}

/** A set of keys that somebody may see. */
export type KeySelection = FilterQuery<CallerKey>;

/** A user's keys and the team keys that the user made. */
export function keysMadeBy(userId: string): KeySelection {
  return { user: userId };
}

/** Those, and every team key of the teams that the user manages. */
export async function keysManagedBy(
  em: EntityManager,
  userId: string,
  teams: TeamMembership,
): Promise<KeySelection> {
  const managed = await teams.teamsManagedBy(em, userId);
  return { $or: [{ user: userId }, { teamId: { $in: [...managed] } }] };
}

/** A page of keys, oldest first, revoked ones included. */
export function listKeys(
  em: EntityManager,
  selection: KeySelection,
  request: PageRequest,
): Promise<Page<CallerKey>> {
  return findPage(em, CallerKeySchema, request, {
    everListed: selection,
    orderBy: { createdAt: "asc", id: "asc" },
    byId: (id) => ({ id }),
  });
}

/**
 * Makes a key. Settings that are not sent get the defaults. Throws 404
 * `not_found` when the user does not exist or is no member of the team.
 */
export async function createKey(
  em: EntityManager,
  actor: Actor,
  owner: KeyOwner,
  changes: KeyChanges,
  ports: { readonly hasher: TokenHasher; readonly teams: TeamMembership },
): Promise<KeyWithSecret> {
  const { userId, teamId } = owner;
  const checked = checkKeyChanges(changes);
  await findUser(em, userId);
  if (teamId !== undefined && (await ports.teams.rankOf(em, teamId, userId)) === undefined) {
    throw notFound("team");
  }
  return em.transactional((tx) => Promise.resolve(addKey(tx, actor, owner, checked, ports.hasher)));
}

/** Adds a key and its event to the transaction of `em`, unchecked. */
export function addKey(
  em: EntityManager,
  actor: Actor,
  { userId, teamId }: KeyOwner,
  changes: KeyChanges,
  hasher: TokenHasher,
): KeyWithSecret {
  const secret = newToken("cwk");
  const key = em.create(CallerKeySchema, {
    ...defaultKeySettings,
    ...changes,
    id: newId("key", actor.at.getTime()),
    accountId: teamId ?? userId,
    user: userId,
    teamId: teamId ?? null,
    prefix: secret.slice(0, prefixLength),
    createdAt: actor.at,
    rotatedAt: null,
    lastUsedAt: null,
    revokedAt: null,
  });
  em.persist(key);
  addSecret(em, actor, key, secret, hasher);
  const after = keyDetails(key);
  recordAudit(em, actor, { accountId: key.accountId, type: "key.created", target: key.id, after });
  return { key, secret };
}

/**
 * Changes the settings that were sent. Only the maker of a team key may: its
 * managers see it and get 403. Throws 404 `not_found` outside the selection.
 */
export function updateKey(
  em: EntityManager,
  actor: Actor,
  keyId: string,
  selection: KeySelection,
  changes: KeyChanges,
): Promise<CallerKey> {
  const checked = checkKeyChanges(changes);
  return em.transactional(async (tx) => {
    const key = await lockKey(tx, keyId, selection);
    assertMaker(actor, key);
    const before = keyDetails(key);
    Object.assign(key, checked);
    const details = changedDetails(before, keyDetails(key));
    if (details !== undefined) recordKeyEvent(tx, actor, key, "key.updated", details);
    return key;
  });
}

/**
 * Gives a key a new secret and retires the old one in the same moment. Throws
 * 409 `conflict` for a revoked key, 403 and 404 like `updateKey`.
 */
export function rotateKey(
  em: EntityManager,
  actor: Actor,
  keyId: string,
  selection: KeySelection,
  hasher: TokenHasher,
): Promise<KeyWithSecret> {
  return em.transactional(async (tx) => {
    const key = await lockKey(tx, keyId, selection);
    assertMaker(actor, key);
    if (key.revokedAt !== null) throw new ApiError("conflict", "The key is revoked for ever.");
    const live = { key: keyId, retiredAt: null };
    await tx.nativeUpdate(CallerKeySecretSchema, live, { retiredAt: actor.at });
    const secret = newToken("cwk");
    Object.assign(key, { prefix: secret.slice(0, prefixLength), rotatedAt: actor.at });
    addSecret(tx, actor, key, secret, hasher);
    recordKeyEvent(tx, actor, key, "key.rotated");
    return { key, secret };
  });
}

/** Revokes a key for ever; again is no change. Throws 404 `not_found` outside the selection. */
export function revokeKey(
  em: EntityManager,
  actor: Actor,
  keyId: string,
  selection: KeySelection,
): Promise<CallerKey> {
  return em.transactional(async (tx) => {
    const key = await lockKey(tx, keyId, selection);
    if (key.revokedAt !== null) return key;
    key.revokedAt = actor.at;
    recordKeyEvent(tx, actor, key, "key.revoked");
    return key;
  });
}

/** Notes when keys were last used. */
export async function noteKeyUse(
  em: EntityManager,
  keyIds: readonly string[],
  at: Date,
): Promise<void> {
  await em.nativeUpdate(CallerKeySchema, { id: { $in: [...keyIds] } }, { lastUsedAt: at });
}

async function lockKey(
  em: EntityManager,
  keyId: string,
  selection: KeySelection,
): Promise<CallerKey> {
  const where = { $and: [{ id: keyId }, selection] };
  const key = await em.findOne(CallerKeySchema, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (key === null) throw notFound("key");
  return key;
}

/** A team key acts with its maker's rank, so nobody else may get its secret or widen it. */
function assertMaker({ principal }: Actor, key: CallerKey): void {
  if (principal.kind !== "session" || principal.userId === key.user.id) return;
  throw new ApiError("insufficient_scope", "Only the maker of a team key may change or rotate it.");
}

function addSecret(
  em: EntityManager,
  actor: Actor,
  key: CallerKey,
  secret: string,
  hasher: TokenHasher,
): void {
  const { hash, pepperId } = hasher.hash(secret);
  const owner = { accountId: key.accountId, key };
  const times = { createdAt: actor.at, retiredAt: null };
  em.persist(em.create(CallerKeySecretSchema, { hash, pepperId, ...owner, ...times }));
}

function recordKeyEvent(
  em: EntityManager,
  actor: Actor,
  key: CallerKey,
  type: string,
  details: Partial<Pick<Parameters<typeof recordAudit>[2], "before" | "after">> = {},
): void {
  recordAudit(em, actor, { accountId: key.accountId, type, target: key.id, ...details });
}

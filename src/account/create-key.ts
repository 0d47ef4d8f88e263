import { LockMode, type EntityManager } from "@mikro-orm/postgresql";
import { newToken } from "../platform/crypto/token.ts";
import { notFound } from "../platform/errors.ts";
import { newId } from "../platform/ids.ts";
import { recordAudit, type Actor } from "../kernel/audit/audit.ts";
import { CallerKeySecretSchema } from "./caller-key-secret.entity.ts";
import { CallerKeySchema, type CallerKeyRow } from "./caller-key.entity.ts";
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
  readonly key: CallerKeyRow;
  readonly secret: string;
}

/** Who shall own a new key; with a team it is the team's and the user its creator. */
export interface KeyOwner {
  readonly userId: string;
  readonly teamId?: string | undefined;
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
  return em.transactional(async (tx) => {
    // Whoever locks a user and a team takes the user first.
    await findUser(tx, userId, LockMode.PESSIMISTIC_READ);
    if (teamId !== undefined && !(await ports.teams.lockedRankOf(tx, teamId, userId))) {
      throw notFound("team", "server");
    }
    return addKey(tx, actor, owner, checked, ports.hasher);
  });
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
    prefix: keyPrefix(secret),
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

/** What a key is recognised by in lists. */
export function keyPrefix(secret: string): string {
  return secret.slice(0, prefixLength);
}

/** Adds a secret of a key to the transaction of `em`, as a keyed hash. */
export function addSecret(
  em: EntityManager,
  actor: Actor,
  key: CallerKeyRow,
  secret: string,
  hasher: TokenHasher,
): void {
  const { hash, pepperId } = hasher.hash(secret);
  const owner = { accountId: key.accountId, key };
  const times = { createdAt: actor.at, retiredAt: null };
  em.persist(em.create(CallerKeySecretSchema, { hash, pepperId, ...owner, ...times }));
}

import type { EntityManager, Loaded } from "@mikro-orm/postgresql";
import { CallerKeySecretEntity, type CallerKeySecretRow } from "./caller-key-secret.entity.ts";
import type { CallerKey } from "../domain/caller-key.ts";
import type { TeamMembershipLookup } from "./team-membership.ts";

/** Why a key that exists is refused. */
export type CallerKeyRejection = "revoked" | "rotated" | "expired" | "disabled" | "left_team";

/** A caller key as calls need it. Frozen in effect: it is shared between calls. */
export interface ResolvedCallerKey extends CallerKey {
  /** Undefined: the key is live. */
  readonly rejection: CallerKeyRejection | undefined;
}

/** Reads a key by the hash of one of its secrets; undefined when it was never issued. */
export async function loadKeyBySecretHash(
  em: EntityManager,
  hash: string,
  teams: TeamMembershipLookup,
): Promise<ResolvedCallerKey | undefined> {
  const secret = await em.findOne(
    CallerKeySecretEntity,
    { hash },
    { populate: ["key", "key.user"], strategy: "joined" },
  );
  return secret === null ? undefined : resolve(em, secret, teams);
}

/** Reads a key by its id, as its newest secret is; undefined: there is none. */
export async function loadKeyById(
  em: EntityManager,
  keyId: string,
  teams: TeamMembershipLookup,
): Promise<ResolvedCallerKey | undefined> {
  const secret = await em.findOne(
    CallerKeySecretEntity,
    { key: keyId, retiredAt: null },
    { populate: ["key", "key.user"], strategy: "joined" },
  );
  return secret === null ? undefined : resolve(em, secret, teams);
}

async function resolve(
  em: EntityManager,
  secret: Loaded<CallerKeySecretRow, "key" | "key.user">,
  teams: TeamMembershipLookup,
): Promise<ResolvedCallerKey> {
  const { key } = secret;
  const { id: userId } = key.user;
  const hasLeft = key.teamId !== null && (await teams.rankOf(em, key.teamId, userId)) === undefined;
  return {
    principal: {
      kind: "key",
      keyId: key.id,
      accountId: key.accountId,
      userId,
      teamId: key.teamId ?? undefined,
      scopes: new Set(key.scopes),
      expiresAt: key.expiresAt?.getTime(),
    },
    route: key.route,
    mode: key.mode,
    allowedModels: key.allowedModels,
    budget: key.budget ?? undefined,
    rateLimit: key.rateLimit ?? undefined,
    tags: key.tags ?? undefined,
    rejection: hasLeft ? "left_team" : refusalOf(secret),
  };
}

/** The key at a point in time: it may have expired since it was read. */
export function markKeyRejectedIfExpired(key: ResolvedCallerKey, now: number): ResolvedCallerKey {
  const { expiresAt } = key.principal;
  const isOver = expiresAt !== undefined && expiresAt <= now;
  return isOver && key.rejection === undefined ? { ...key, rejection: "expired" } : key;
}

function refusalOf(
  secret: Loaded<CallerKeySecretRow, "key" | "key.user">,
): CallerKeyRejection | undefined {
  const { key } = secret;
  if (key.revokedAt !== null) return "revoked";
  if (secret.retiredAt !== null) return "rotated";
  if (key.user.disabledAt !== null || key.user.deletedAt !== null) return "disabled";
  return undefined;
}

/** Scopes that a caller key can hold. */
export const callerKeyScopes = [
  "gateway:invoke",
  "teams:read",
  "teams:write",
  "endpoints:read",
  "endpoints:write",
] as const;

export type CallerKeyScope = (typeof callerKeyScopes)[number];

/** Who is calling. Every handler gets exactly one of these. */
export type Principal = KeyPrincipal | SessionPrincipal | OperatorPrincipal | AnonymousPrincipal;

/** A caller key of a user, or of a team (`teamId` set, `accountId` is then the team). */
export interface KeyPrincipal {
  readonly kind: "key";
  readonly keyId: string;
  /** User or team whose endpoints, aliases, vendors and wallet the key works on. */
  readonly accountId: string;
  /** Owner of a user's key, creator of a team key. */
  readonly userId: string;
  readonly teamId: string | undefined;
  readonly scopes: ReadonlySet<CallerKeyScope>;
  /** When it ends by itself, milliseconds since the epoch; undefined: never. */
  readonly expiresAt?: number | undefined;
}

/** A signed-in person; the account is the person's own. */
export interface SessionPrincipal {
  readonly kind: "session";
  readonly sessionId: string;
  readonly accountId: string;
  readonly userId: string;
  /** When it ends unless it is used before, milliseconds since the epoch. */
  readonly expiresAt?: number | undefined;
}

/** Bearer of `CAUSEWAY_ADMIN_TOKEN`. */
export interface OperatorPrincipal {
  readonly kind: "operator";
}

/** A method that needs no credential does not read one. */
export interface AnonymousPrincipal {
  readonly kind: "anonymous";
}

export const anonymousPrincipal: AnonymousPrincipal = { kind: "anonymous" };

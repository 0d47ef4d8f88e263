import type { EntityManager } from "@mikro-orm/postgresql";
import type { AcceptedCredentialKind } from "../contract/method-policy.ts";
import type { Clock } from "../platform/clock.ts";
import {
  readCredential,
  type CallerCredentialHeaders,
  type PresentedCredential,
} from "../platform/credentials.ts";
import { constantTimeEqual } from "../platform/crypto/keyed-hash.ts";
import { isWellFormedCredentialToken } from "../platform/crypto/token.ts";
import { toDatabaseUnavailableError } from "../platform/database/database-unavailable.ts";
import { ApiError } from "../platform/errors.ts";
import type { Principal, CallerKeyScope, SessionPrincipal } from "../platform/principal.ts";
import type { CallerKeyDirectory } from "./key-directory.ts";
import type { UnknownCredentialRateLimiter } from "./unknown-credential-limiter.ts";
import type { CallerKeyRejection, ResolvedCallerKey } from "./resolved-key.ts";
import { assertSameOrigin } from "./same-origin.ts";
import { findSession } from "./sessions.ts";
import type { TokenHasher } from "./token-hasher.ts";
import type { LastUsedRecorder } from "./last-used-recorder.ts";
import { chainMaybePromise, type MaybePromise } from "../platform/maybe-promise.ts";

export interface AuthenticatorDependencies {
  readonly fork: () => EntityManager;
  readonly keys: Pick<CallerKeyDirectory, "lookup" | "find">;
  readonly hasher: TokenHasher;
  /** Undefined: the operator API is off. */
  readonly operatorToken: string | undefined;
  readonly keyUse: Pick<LastUsedRecorder, "record">;
  readonly sessionUse: Pick<LastUsedRecorder, "record">;
  /** Where browsers reach this service. */
  readonly publicUrl: () => string;
  readonly clock: Clock;
  readonly unknownCredentials: UnknownCredentialRateLimiter;
}

/** Who is asking; undefined where a person visits a page. */
type Requester = { readonly address: string } | undefined;

const rejectionMessages: Readonly<Record<CallerKeyRejection, string>> = {
  revoked: "The key is revoked.",
  rotated: "The key was rotated and this is an old secret of it.",
  expired: "The key has expired.",
  disabled: "The user of the key is disabled.",
  left_team: "The maker of this team key is no longer a member of the team.",
};

/** Resolves what a request presents to who is calling. */
export class Authenticator {
  readonly #dependencies: AuthenticatorDependencies;

  constructor(dependencies: AuthenticatorDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * The principal behind a credential, of whatever kind: whether it may call the
   * method is the caller's question. Throws 401 `unauthorized` for none, a
   * malformed, wrong or unknown one and an ended session, 403
   * `insufficient_scope` for a refused key and for a cookie of another origin, 429
   * where too many unknown credentials came from an address, and 404 for the operator API when it is off.
   */
  async authenticate(
    headers: Headers,
    accepted: readonly AcceptedCredentialKind[],
    asker: Requester,
    httpMethod: string,
  ): Promise<Principal> {
    const { operatorToken, publicUrl } = this.#dependencies;
    const isOperatorRoute = accepted.every((kind) => kind === "operator");
    if (isOperatorRoute && operatorToken === undefined) throw operatorApiDisabled();
    const credential = readCredential(credentialHeaders(headers));
    if (credential === undefined) throw noCredential(accepted);
    if (this.#isOperator(credential)) return { kind: "operator" };
    if (!isSession(credential))
      return liveKey(await this.#findKey(credential, asker?.address), undefined).principal;
    const session = await this.#findSession(credential, asker?.address);
    if (credential.source === "cookie") assertSameOrigin(headers, httpMethod, publicUrl());
    return session;
  }

  /**
   * The live key of a model call, synchronously when it is warm. `scope`
   * undefined: any live key will do. Throws 401 and 403 as docs/contract.md#keys says;
   * a live session is 403. `refused` hears first of a key that is known and refused.
   * `address` pays for what is unknown.
   */
  authenticateModelCall(
    headers: CallerCredentialHeaders,
    scope: CallerKeyScope | undefined,
    refused: (key: ResolvedCallerKey) => void = ignore,
    address?: string,
  ): MaybePromise<ResolvedCallerKey> {
    const credential = readCredential(headers);
    if (credential === undefined) throw noCredential(["key"]);
    if (isSession(credential)) return this.#rejectSession(credential, address);
    const key = this.#findKey(credential, address);
    return chainMaybePromise(key, (found) => liveKey(found, scope, refused));
  }

  /** The live key of an id, for what runs on its behalf. Throws 403 for one that is refused, or no more. */
  async liveKey(keyId: string): Promise<ResolvedCallerKey> {
    const key = await this.#dependencies.keys.find(keyId);
    if (key === undefined) throw new ApiError("insufficient_scope", "The key is no more.");
    return liveKey(key, "gateway:invoke");
  }

  #isOperator({ source, token }: PresentedCredential): boolean {
    const { operatorToken } = this.#dependencies;
    if (operatorToken === undefined || source !== "bearer") return false;
    return constantTimeEqual(token, operatorToken);
  }

  #findKey(
    { source, token }: PresentedCredential,
    address: string | undefined,
  ): MaybePromise<ResolvedCallerKey> {
    const found = this.#dependencies.keys.lookup(token, address);
    return chainMaybePromise(found, (key) => this.#known(key, source));
  }

  #known(
    key: ResolvedCallerKey | undefined,
    source: PresentedCredential["source"],
  ): ResolvedCallerKey {
    if (key === undefined) throw unknownKey(source);
    if (key.rejection === undefined) this.#dependencies.keyUse.record(key.principal.keyId);
    return key;
  }

  async #findSession(
    { token }: PresentedCredential,
    address: string | undefined,
  ): Promise<SessionPrincipal> {
    const { fork, hasher, clock, sessionUse, unknownCredentials: lookUps } = this.#dependencies;
    const find = () => findSession(fork(), hasher, token, new Date(clock.now())).catch(rethrow);
    const session = isWellFormedCredentialToken(token, "cws")
      ? await lookUps.spend(address, find)
      : undefined;
    if (session === undefined) {
      throw new ApiError("unauthorized", "The session has ended or never was; sign in again.");
    }
    sessionUse.record(session.id);
    const { id: sessionId, accountId, user } = session;
    const expiresAt = session.expiresAt.getTime();
    return { kind: "session", sessionId, accountId, userId: user.id, expiresAt };
  }

  async #rejectSession(
    credential: PresentedCredential,
    address: string | undefined,
  ): Promise<never> {
    await this.#findSession(credential, address);
    throw new ApiError(
      "insufficient_scope",
      "A session may not make model calls; use a caller key.",
    );
  }
}

function ignore(): void {}

function liveKey(
  key: ResolvedCallerKey,
  scope: CallerKeyScope | undefined,
  refused: (key: ResolvedCallerKey) => void = ignore,
): ResolvedCallerKey {
  const problem = problemOf(key, scope);
  if (problem === undefined) return key;
  refused(key);
  throw new ApiError("insufficient_scope", problem);
}

function problemOf(
  { rejection: refusal, principal }: ResolvedCallerKey,
  scope: CallerKeyScope | undefined,
) {
  if (refusal !== undefined) return rejectionMessages[refusal];
  const isMissing = scope !== undefined && !principal.scopes.has(scope);
  return isMissing ? `The key lacks the scope \`${scope}\`.` : undefined;
}

/** In `x-api-key`, the header of model clients, nothing but a caller key is taken. */
function isSession({ source, token }: PresentedCredential): boolean {
  return source === "cookie" || (source === "bearer" && token.startsWith("cws_"));
}

function credentialHeaders(headers: Headers): CallerCredentialHeaders {
  return {
    authorization: headers.get("authorization") ?? undefined,
    "x-api-key": headers.get("x-api-key") ?? undefined,
    cookie: headers.get("cookie") ?? undefined,
  };
}

const credentialNames: Readonly<Record<AcceptedCredentialKind, string>> = {
  key: "a caller key as `Authorization: Bearer` or `x-api-key`",
  session: "a session as `Authorization: Bearer` or cookie",
  operator: "the operator token as `Authorization: Bearer`",
};

function noCredential(accepted: readonly AcceptedCredentialKind[]): ApiError {
  const names = accepted.map((kind) => credentialNames[kind]).join(", or ");
  return new ApiError("unauthorized", `This operation needs ${names}.`);
}

function unknownKey(source: PresentedCredential["source"]): ApiError {
  return new ApiError(
    "unauthorized",
    source === "x-api-key"
      ? "`x-api-key` holds no caller key of this server; sessions and the operator token go as `Authorization: Bearer`."
      : "The credential is malformed, or not a key, session or operator token of this server.",
  );
}

function operatorApiDisabled(): ApiError {
  return new ApiError("not_found", "The operator API is off; CAUSEWAY_ADMIN_TOKEN turns it on.");
}

function rethrow(error: unknown): never {
  throw toDatabaseUnavailableError(error) ?? error;
}

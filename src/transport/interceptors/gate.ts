import type { HandlerContext, StreamRequest, UnaryRequest } from "@connectrpc/connect";
import { ApiError } from "../../platform/errors.ts";
import type { RequestBodyMemoryBudget } from "../../platform/body-memory-budget.ts";
import type { LoadAdmissionCheck } from "../../platform/load/load-shedder.ts";
import { anonymousPrincipal, type Principal } from "../../platform/principal.ts";
import type { AddressRateLimiter } from "../../platform/rate-limit/address-limit.ts";
import { principalKey, type RequestContext } from "../../platform/request-context.ts";
import { reserveRequestBodyMemory } from "../reserve-body-memory.ts";
import {
  readMethodPolicy,
  type AcceptedCredentialKind,
  type MethodPolicy,
} from "../../contract/method-policy.ts";
import { httpRequestScopeKey, type HttpRequestScope } from "../request-scope.ts";
import type { ToConnectErrorTranslator } from "./errors.ts";
import type { MaybePromise } from "../../platform/maybe-promise.ts";

/** Resolves credentials; implemented by the account domain. */
export interface RequestAuthenticator {
  /**
   * The live principal behind the credential in the headers, of whatever kind;
   * `accepted` only helps to word the refusal. Throws 401 `unauthorized` for
   * none, a malformed or an unknown one, 403 `insufficient_scope` for a revoked
   * one. `httpMethod` is there because a cookie of another origin may read but
   * not change anything.
   */
  authenticate(
    headers: Headers,
    accepted: readonly AcceptedCredentialKind[],
    context: RequestContext,
    httpMethod: string,
  ): MaybePromise<Principal>;
}

/** What a gate asks, and how much it lets through. */
export interface RpcRequestGateDependencies {
  /** Asked first of all. */
  readonly load: LoadAdmissionCheck;
  readonly authenticator: RequestAuthenticator;
  /** For methods that need no credential; undefined: they are not counted. */
  readonly addressLimit: AddressRateLimiter | undefined;
  /** Where the body is counted as it arrives. */
  readonly bodies: RequestBodyMemoryBudget;
}

/** Runs before the body of a call is read; throws to refuse it. */
export type RpcRequestGate = (context: HandlerContext) => Promise<void>;

/**
 * Authenticates and authorises a call by the policy of its method, over every protocol,
 * before a byte of the body is read: so 401 and 403 go before 400, and a stranger cannot
 * make the server parse anything. Where no credential is asked for, requests are counted by
 * address instead. While load is shed, nothing is looked at.
 */
export function createRpcAuthGate(
  dependencies: RpcRequestGateDependencies,
  translate: ToConnectErrorTranslator,
): RpcRequestGate {
  return async (context) => {
    const scope = context.values.get(httpRequestScopeKey);
    if (scope === undefined) throw new Error("the request has no scope; register it on the server");
    scope.procedure = `${context.service.typeName}/${context.method.name}`;
    try {
      const principal = await authorizeRequest(context, scope, dependencies);
      scope.principal = principal;
      context.values.set(principalKey, principal);
      reserveRequestBodyMemory(dependencies.bodies, scope);
    } catch (error) {
      throw translate(error, context.values);
    }
  };
}

async function authorizeRequest(
  context: HandlerContext,
  scope: HttpRequestScope,
  { load, authenticator, addressLimit }: RpcRequestGateDependencies,
): Promise<Principal> {
  load.assertAccepting();
  const policy = readMethodPolicy(context.method);
  if (policy.credentials.length === 0) {
    const headers = (await addressLimit?.take(scope.address)) ?? {};
    for (const [name, value] of Object.entries(headers)) context.responseHeader.set(name, value);
    return anonymousPrincipal;
  }
  const { method, requestMethod, requestHeader: header } = context;
  return resolveAuthorizedPrincipal({ method, requestMethod, header }, scope, authenticator);
}

/** What of a call says who may make it. */
export type RpcRequestHead = Pick<
  UnaryRequest | StreamRequest,
  "method" | "requestMethod" | "header"
>;

/** Who is calling, now. Throws 401 and 403 where the method is not theirs to call. */
export async function resolveAuthorizedPrincipal(
  { method, requestMethod, header }: RpcRequestHead,
  scope: HttpRequestScope,
  authenticator: RequestAuthenticator,
): Promise<Principal> {
  const policy = readMethodPolicy(method);
  const { credentials } = policy;
  const principal = await authenticator.authenticate(header, credentials, scope, requestMethod);
  // Known even when it may not call this method, for the access log.
  scope.principal = principal;
  authorize(principal, policy);
  return principal;
}

/** Throws 403 `insufficient_scope` when the principal may not call a method of that policy. */
function authorize(principal: Principal, { credentials, scope, personOnly }: MethodPolicy): void {
  if (!credentials.some((kind) => kind === principal.kind)) {
    const accepted = credentials.map((kind) => credentialNames[kind]).join(" or ");
    throw new ApiError("insufficient_scope", `This operation needs ${accepted}.`);
  }
  if (principal.kind === "key" && scope !== undefined && !principal.scopes.has(scope)) {
    throw new ApiError(
      "insufficient_scope",
      `This operation needs a key with the scope \`${scope}\`.`,
    );
  }
  if (personOnly && principal.kind === "key" && principal.teamId !== undefined) {
    throw new ApiError(
      "insufficient_scope",
      "A team key may not call this operation; use a key or a session of a person.",
    );
  }
}

const credentialNames: Readonly<Record<AcceptedCredentialKind, string>> = {
  key: "a caller key",
  session: "a signed-in session",
  operator: "the operator token",
};

import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { AccountService } from "../../../gen/ts/causeway/account/v1/account_pb.ts";
import type { CorsRules } from "../../transport/cors.ts";
import { readMethodPolicy } from "../../contract/method-policy.ts";
import { compilePathPattern } from "../../transport/rest/route-table.ts";
import { readRestRules } from "../../contract/rest-rule.ts";

interface ClosedRoute {
  /** Undefined: whatever the method. */
  readonly method: string | undefined;
  readonly path: RegExp;
}

/** What needs no credential because it gives one. */
const signIn: ReadonlySet<DescMethod> = new Set([
  AccountService.method.startSignIn,
  AccountService.method.finishSignIn,
]);

/** Pages of ours, on which people sign in. */
const pages = ["/sign_in", "/invites/:code"].map((url) => ({
  method: undefined,
  path: compilePathPattern(url),
}));

/** What answers to calls tell in headers. */
const exposedHeaders = [
  "etag",
  "retry-after",
  "request-id",
  "x-request-id",
  "x-svc-call",
  "x-svc-queue-position",
  "x-svc-route-used",
  "x-svc-session",
  "x-svc-target",
  "x-svc-turn",
  "x-svc-warnings",
  "ratelimit",
  "ratelimit-policy",
  "x-ratelimit-limit-requests",
  "x-ratelimit-remaining-requests",
  "x-ratelimit-reset-requests",
  "anthropic-ratelimit-requests-limit",
  "anthropic-ratelimit-requests-remaining",
  "anthropic-ratelimit-requests-reset",
];

/**
 * Pages of the given origins may do what a key may do: signing in, what only a session
 * may do and what only the operator may do are left out, over REST as over Connect.
 */
export function createCorsRules(
  origins: readonly string[],
  services: readonly DescService[],
): CorsRules {
  const methods = services.flatMap((service) => service.methods).filter((it) => !isForKeys(it));
  const closed = [...pages, ...methods.flatMap(routesOf)];
  return {
    origins,
    exposedHeaders,
    isOpen: (method, path) =>
      !closed.some((route) => (route.method ?? method) === method && route.path.test(path)),
  };
}

function isForKeys(method: DescMethod): boolean {
  const { credentials } = readMethodPolicy(method);
  return credentials.includes("key") || (credentials.length === 0 && !signIn.has(method));
}

function routesOf(method: DescMethod): readonly ClosedRoute[] {
  return [
    ...readRestRules(method).map((rule) => ({
      method: rule.httpMethod,
      path: compilePathPattern(rule.route),
    })),
    { method: undefined, path: compilePathPattern(`/${method.parent.typeName}/${method.name}`) },
  ];
}

import { performance } from "node:perf_hooks";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { AccessLog } from "../../platform/log.ts";
import type { Principal } from "../../platform/principal.ts";
import type { RequestScope } from "../request-scope.ts";

/** What nginx made the custom for a caller that hung up before the answer. */
const callerHungUp = 499;

/**
 * Writes the one line of a request that has ended. It holds the route's pattern
 * and not the address, because addresses carry codes and ids; no header and no
 * body is ever in it.
 */
export function writeAccessLine(
  log: AccessLog,
  scope: RequestScope,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const status = reply.raw.writableFinished ? reply.raw.statusCode : callerHungUp;
  const line = {
    request_id: scope.requestId,
    method: request.method,
    route: request.routeOptions.url,
    procedure: scope.procedure,
    status,
    error: scope.errorCode,
    duration_ms: Math.round((performance.now() - scope.startedAt) * 1000) / 1000,
    address: scope.address,
    ...principalIds(scope.principal),
    ...scope.details,
  };
  log.write(status >= 500 && status < 600 ? "warn" : "info", line);
}

function principalIds(principal: Principal | undefined) {
  switch (principal?.kind) {
    case "key":
      return { principal: "key", account_id: principal.accountId, key_id: principal.keyId };
    case "session":
      return {
        principal: "session",
        account_id: principal.accountId,
        session_id: principal.sessionId,
      };
    case "operator":
      return { principal: "operator" };
    default:
      return undefined;
  }
}

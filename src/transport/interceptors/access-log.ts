import type { AccessLog } from "../../platform/speed/access-log.ts";
import type { Principal } from "../../platform/principal.ts";
import { serializeMilliseconds } from "../../platform/speed/format-milliseconds.ts";
import type { HttpRequestEnd, HttpRequestScope } from "../request-scope.ts";

/** What the line of a request is made of. */
type LoggedRequest = Pick<
  HttpRequestScope,
  "requestId" | "method" | "route" | "procedure" | "errorCode" | "address" | "principal" | "details"
>;

/**
 * Writes the one line of a request that has ended. It holds the route's pattern
 * and not the address, because addresses carry codes and ids; no header and no
 * body is ever in it.
 */
export function writeAccessLogLine(
  log: AccessLog,
  scope: LoggedRequest,
  { status, durationMs }: HttpRequestEnd,
): void {
  log.write(
    status >= 500 && status < 600 ? "warn" : "info",
    `"request_id":"${scope.requestId}","method":"${scope.method}"` +
      nameMember("route", scope.route) +
      nameMember("procedure", scope.procedure) +
      `,"status":${status}` +
      errorMember(scope.errorCode) +
      `,"duration_ms":${serializeMilliseconds(durationMs)},"address":"${scope.address}"` +
      principalMembers(scope.principal) +
      scope.details,
  );
}

/** A name comes from the code, and has nothing to escape. Empty when there is nothing to say. */
function nameMember(member: string, name: string | undefined): string {
  return name === undefined ? "" : `,"${member}":"${name}"`;
}

/** A code may be that of an upstream. */
function errorMember(code: string | undefined): string {
  return code === undefined ? "" : `,"error":${JSON.stringify(code)}`;
}

function principalMembers(principal: Principal | undefined): string {
  switch (principal?.kind) {
    case "key":
      return `,"principal":"key","account_id":"${principal.accountId}","key_id":"${principal.keyId}"`;
    case "session":
      return `,"principal":"session","account_id":"${principal.accountId}","session_id":"${principal.sessionId}"`;
    case "operator":
      return `,"principal":"operator"`;
    default:
      return "";
  }
}

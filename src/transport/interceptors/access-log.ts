import type { AccessLog } from "../../platform/speed/access-log.ts";
import type { Principal } from "../../platform/principal.ts";
import { printedDuration } from "../../platform/speed/printed-milliseconds.ts";
import type { RequestEnd, RequestScope } from "../request-scope.ts";

/** What the line of a request is made of. */
type ToldRequest = Pick<
  RequestScope,
  "requestId" | "method" | "route" | "procedure" | "errorCode" | "address" | "principal" | "details"
>;

/**
 * Writes the one line of a request that has ended. It holds the route's pattern
 * and not the address, because addresses carry codes and ids; no header and no
 * body is ever in it.
 */
export function writeAccessLine(
  log: AccessLog,
  scope: ToldRequest,
  { status, durationMs }: RequestEnd,
): void {
  log.write(
    status >= 500 && status < 600 ? "warn" : "info",
    `"request_id":"${scope.requestId}","method":${JSON.stringify(scope.method)}` +
      textMember("route", scope.route) +
      textMember("procedure", scope.procedure) +
      `,"status":${status}` +
      textMember("error", scope.errorCode) +
      `,"duration_ms":${printedDuration(durationMs)},"address":${JSON.stringify(scope.address)}` +
      principalMembers(scope.principal) +
      scope.details,
  );
}

/** With the comma before it; empty when there is nothing to say. */
function textMember(name: string, text: string | undefined): string {
  return text === undefined ? "" : `,"${name}":${JSON.stringify(text)}`;
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

import { isIP } from "node:net";
import { localhostAllowedHostnames, validateOriginHeader } from "@modelcontextprotocol/server";
import { ApiError } from "../../platform/errors.ts";

/** Names under which the server may be called, beside its addresses. */
export interface DnsRebindingAllowedHosts {
  /** Host names, without ports. */
  readonly hosts: readonly string[];
}

interface GuardedHeaders {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
}

/**
 * Keeps web pages from reaching the server through the browser of somebody in its
 * network: a name that is not its own in `host` (a rebound name; an address cannot
 * be one), or the origin of a foreign page. Throws 403.
 */
export function assertNoDnsRebinding(
  { host, origin }: GuardedHeaders,
  { hosts }: DnsRebindingAllowedHosts,
): void {
  const names = [...localhostAllowedHostnames(), ...hosts];
  if (!isLocalHost(host ?? "", names)) {
    throw forbidden(
      "The `host` of the request is not one of this server's; the operator sets CAUSEWAY_TOOLS_PUBLIC_URL.",
    );
  }
  if (!validateOriginHeader(origin, names).ok) {
    throw forbidden("Pages of this `origin` may not call the server.");
  }
}

function isLocalHost(host: string, names: readonly string[]): boolean {
  const hostname = URL.parse(`http://${host}`)?.hostname ?? "";
  const isAddress = isIP(hostname.replaceAll(/[[\]]/g, "")) !== 0;
  return isAddress || names.includes(hostname);
}

function forbidden(message: string): ApiError {
  return new ApiError("insufficient_scope", message);
}

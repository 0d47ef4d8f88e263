import { createServer, type IncomingMessage, type Server } from "node:http";
import { findInFlightHttpResponse } from "./current-response.ts";
import type { HttpListenerLimits } from "./front-limits.ts";

/** Tells an upgrade that is to be served from a request whose upgrade is ignored. */
export type HttpUpgradePredicate = (request: IncomingMessage) => boolean;

/** Node's HTTP/1.1 server with every limit set. It is the one that listens. */
export function createHttp1Server(
  limits: HttpListenerLimits,
  takesUpgrade: HttpUpgradePredicate,
): Server {
  return createServer({
    noDelay: true,
    keepAlive: true,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: limits.checkMs,
    maxHeaderSize: limits.maxHeaderBytes,
    // Of two credentials or hosts Node would read the first and drop the other.
    joinDuplicateHeaders: true,
    // A missing host is refused in `refuse-request.ts`, with a body.
    requireHostHeader: false,
    // An upgrade may be ignored, and is in any other version (RFC 9110, 7.8). The responses before
    // it still need the connection.
    shouldUpgradeCallback: (request) =>
      request.httpVersion === "1.1" &&
      findInFlightHttpResponse(request.socket) === undefined &&
      takesUpgrade(request),
  });
}

import { createServer, type Server } from "node:http";
import type { FrontLimits } from "./front-limits.ts";

/** Node's HTTP/1.1 server with every limit set. It is the one that listens. */
export function createHttp1Server(limits: FrontLimits): Server {
  const server = createServer({
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
  });
  server.maxConnections = limits.maxConnections;
  return server;
}

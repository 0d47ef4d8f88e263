import type { FastifyServerOptions } from "fastify";
import type { Logs } from "../platform/log.ts";
import { createFrameworkErrorHandler, type ErrorBody } from "./rest/error.ts";

/** Paths hold ids and names; a longer one is refused as unknown, after its credential. */
const longestPathValue = 2048;

/** What Fastify must be told when the server is made, for the transport to keep its promises. */
export function serverOptions(
  trustedProxies: readonly string[],
  errorBody: ErrorBody,
  logs: Logs,
): Pick<FastifyServerOptions, "trustProxy" | "frameworkErrors" | "routerOptions" | "logger"> {
  return {
    trustProxy: [...trustedProxies],
    frameworkErrors: createFrameworkErrorHandler(errorBody, logs),
    routerOptions: { maxParamLength: longestPathValue },
    // The access log of ours is the one line per request.
    logger: false,
  };
}

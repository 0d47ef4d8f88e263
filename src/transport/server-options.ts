import type { FastifyServerOptions } from "fastify";
import type { Logger } from "pino";
import { createFrameworkErrorHandler, type ErrorBody } from "./rest/error.ts";

/** Paths hold ids and names; a longer one is refused as unknown, after its credential. */
const longestPathValue = 2048;

/** What Fastify must be told when the server is made, for the transport to keep its promises. */
export function serverOptions(
  trustedProxies: readonly string[],
  errorBody: ErrorBody,
  log: Logger,
): Pick<FastifyServerOptions, "trustProxy" | "frameworkErrors" | "routerOptions" | "logger"> {
  return {
    trustProxy: [...trustedProxies],
    frameworkErrors: createFrameworkErrorHandler(errorBody, log),
    routerOptions: { maxParamLength: longestPathValue },
    // The access log of ours is the one line per request.
    logger: false,
  };
}

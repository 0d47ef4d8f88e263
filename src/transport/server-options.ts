import type { FastifyServerOptions } from "fastify";
import type { ProcessLoggers } from "../platform/log.ts";
import { createFrameworkErrorHandler, type RestErrorFormats } from "./rest/error.ts";

/** Paths hold ids and names; a longer one is refused as unknown, after its credential. */
const maxPathValueLength = 2048;

/** What Fastify must be told when the server is made, for the transport to keep its promises. */
export function buildFastifyServerOptions(
  trustedProxies: readonly string[],
  forms: RestErrorFormats,
  logs: ProcessLoggers,
): Pick<
  FastifyServerOptions,
  "trustProxy" | "frameworkErrors" | "routerOptions" | "schemaController" | "logger"
> {
  return {
    // Without one, the address is the peer's.
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    frameworkErrors: createFrameworkErrorHandler(forms, logs),
    schemaController: { compilersFactory: { buildValidator: noSchema, buildSerializer: noSchema } },
    routerOptions: { maxParamLength: maxPathValueLength },
    // The access log of ours is the one line per request.
    logger: false,
  };
}

/** Messages are checked by the rules of the contract; the compilers that Fastify would load cost every start. */
function noSchema(): never {
  throw new Error("A route has a schema for Fastify, whose compilers are not loaded.");
}

import { performance } from "node:perf_hooks";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ProcessLoggers } from "../platform/log.ts";
import { writeAccessLogLine } from "./interceptors/access-log.ts";
import { HttpRequestScope } from "./request-scope.ts";

/** What nginx made the custom for a caller that hung up before the answer. */
const clientClosedRequest = 499;

/** Of a request that is over because its connection speaks another protocol from then on. */
const upgraded = 101;

/**
 * Gives every request a scope and an `x-request-id` header, and writes one access
 * line when it ends. Register it on the root instance before any route. The
 * caller's address is taken from `x-forwarded-for` only behind the proxies that
 * the instance was made to trust (Fastify's `trustProxy`).
 */
export function registerHttpRequestScope(app: FastifyInstance, logs: ProcessLoggers): void {
  // The hook below fills it before anything else can read it.
  app.decorateRequest("scope");
  app.addHook("onRequest", (request, reply, done) => {
    openHttpRequestScope(request, reply, logs);
    done();
  });
}

/** Makes the scope of a request that no hook has seen, because its URL could not be routed. */
export function openHttpRequestScope(
  request: FastifyRequest,
  reply: FastifyReply,
  logs: ProcessLoggers,
): HttpRequestScope {
  const scope = new HttpRequestScope(request, reply.raw, logs.log);
  const { raw } = reply;
  // Each part of the server that follows a response has one.
  raw.setMaxListeners(20);
  request.scope = scope;
  void reply.header("x-request-id", scope.requestId);
  // Whoever has something to say in the line listens before it, with `prependListener`.
  raw.on("close", () => {
    scope.bodyAllocation?.release();
    // Over HTTP/2 an answer that was broken off counts as finished, but nobody has ended it.
    const isWhole = (raw.writableFinished && raw.writableEnded) || raw.statusCode === upgraded;
    const status = isWhole ? raw.statusCode : clientClosedRequest;
    const end = { status, durationMs: performance.now() - scope.startedAt };
    scope.ended?.(end);
    writeAccessLogLine(logs.accessLog, scope, end);
  });
  return scope;
}

import { performance } from "node:perf_hooks";
import { isIP } from "node:net";
import { createContextKey, createContextValues, type ContextValues } from "@connectrpc/connect";
import type { FastifyRequest } from "fastify";
import type { Logger } from "pino";
import type { ConnectionClosingResponse } from "../platform/close-behind-answer.ts";
import type { HeldRequestBody } from "../platform/body-memory-budget.ts";
import { newResourceId } from "../platform/ids.ts";
import type { Principal } from "../platform/principal.ts";
import { requestContextKey, type RequestContext } from "../platform/request-context.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** What the transport knows of this request; there from the first hook on. */
    scope: HttpRequestScope;
  }
}

/**
 * One HTTP request, whatever protocol it speaks: made where it enters, handed to
 * handlers as their `RequestContext`, and read by the access log when it ends.
 */
export class HttpRequestScope implements RequestContext {
  readonly requestId: string;
  readonly address: string;
  readonly method: string;
  /** Pattern of the route, `/v1/teams/:team_id`; undefined: no route has the path. */
  readonly route: string | undefined;
  /** `performance.now()` when the request's headers had arrived. */
  readonly startedAt = performance.now();
  /** Who is calling; undefined until the credential is resolved. */
  principal: Principal | undefined;
  /** Full name of the method that is called, `causeway.account.v1.AccountService/GetMe`. */
  procedure: string | undefined;
  /** The response of Node. */
  readonly response: ConnectionClosingResponse;
  /** Its body, as far as it is held; undefined: it was not let in, or its route holds it by itself. */
  bodyAllocation: HeldRequestBody | undefined;
  /** Code of the refusal that was answered. */
  errorCode: string | undefined;
  /**
   * What a hand-written route adds to the access line: JSON members, each with a
   * comma before it. Numbers and names, no header and no body.
   */
  details = "";
  /** Who counts the request hears of its end here. */
  ended: ((end: HttpRequestEnd) => void) | undefined;
  readonly #parentLog: Logger;
  #log: Logger | undefined;

  constructor(request: FastifyRequest, response: ConnectionClosingResponse, log: Logger) {
    this.response = response;
    this.requestId = requestIdOf(request);
    this.address = addressOf(request);
    this.method = request.method;
    this.route = request.routeOptions.url;
    this.#parentLog = log;
  }

  /** A logger that names the request in each line; made when it is first used. */
  get log(): Logger {
    this.#log ??= this.#parentLog.child({ request_id: this.requestId });
    return this.#log;
  }
}

/** How a request ended. */
export interface HttpRequestEnd {
  /** As the caller saw it, 499 for one that hung up before it had the answer. */
  readonly status: number;
  readonly durationMs: number;
}

/** The scope of the HTTP request that a call came in with. */
export const httpRequestScopeKey = createContextKey<HttpRequestScope | undefined>(undefined, {
  description: "request scope",
});

/** The context values that every call starts with, over REST and Connect alike. */
export function createRequestContextValues({ scope }: FastifyRequest): ContextValues {
  return createContextValues().set(requestContextKey, scope).set(httpRequestScopeKey, scope);
}

/** An id that the caller brings is kept, for correlation only. */
function requestIdOf({ headers }: FastifyRequest): string {
  const brought = headers["x-request-id"];
  const isUsable = typeof brought === "string" && /^[A-Za-z0-9._-]{1,64}$/.test(brought);
  return isUsable ? brought : newResourceId("req");
}

/** What a proxy wrote into `x-forwarded-for` may be no address at all; then the peer's own counts. */
function addressOf({ ip, raw }: FastifyRequest): string {
  const { remoteAddress: peer = "" } = raw.socket;
  const address = ip === peer || isIP(ip) === 0 ? peer : ip;
  return address.startsWith("::ffff:") ? address.slice("::ffff:".length) : address;
}

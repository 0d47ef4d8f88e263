import type { RequestListener, Server as Http1Server, ServerResponse } from "node:http";
import type { Http2Server, Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { FastifyServerOptions } from "fastify";
import { createClientErrorHandler } from "./client-error.ts";
import { Connections } from "./connections.ts";
import { closeGently } from "./drain.ts";
import type { RenderRefusal } from "../rest/error.ts";
import { defaultFrontLimits, type FrontLimits } from "./front-limits.ts";
import { createHttp1Server, type TakesUpgrade } from "./http1-server.ts";
import { createHttp2Server } from "./http2-server.ts";
import { joinCredentials } from "./join-credentials.ts";
import { lingerWhenUnread } from "./linger.ts";
import { expectationRefusal, hostRefusal, refuseRequest } from "./refuse-request.ts";
import { serveUpgrades } from "./upgrades.ts";
import { listen, type AddressVariables, type ListeningAddress } from "./listen.ts";
import { valueInTime } from "../../platform/value-in-time.ts";

export interface FrontDependencies {
  readonly errorBody: RenderRefusal;
  /** Named by the error when the address cannot be listened on. */
  readonly variables: AddressVariables;
  readonly limits?: Partial<FrontLimits>;
  /** Upgrades that are served like requests (`upgradeHead`); absent: all are ignored. */
  readonly takesUpgrade?: TakesUpgrade | undefined;
}

/** One listening port that speaks HTTP/1.1 and cleartext HTTP/2. */
export interface Front {
  /** Spread these into `fastify({…})`: the application is served by this front. */
  readonly fastifyOptions: Pick<FastifyServerOptions, "serverFactory" | "clientErrorHandler">;
  /** Only after `await app.ready()`. Rejects with a `ListenError`. */
  listen(host: string, port: number): Promise<ListeningAddress>;
  /** Connections that are open now, those that have sent nothing yet included. */
  readonly connectionCount: number;
  /** Aborted when the drain begins. */
  readonly draining: AbortSignal;
  /**
   * Aborted when the drain deadline has passed: whoever still streams has
   * `farewellMs` to write a last event and end.
   */
  readonly deadline: AbortSignal;
  /**
   * Takes no new connection, closes idle ones at once and sends GOAWAY; answers
   * in flight go on for `deadlineMs` at most. Resolves when no connection is left.
   */
  drain(deadlineMs: number): Promise<void>;
}

/**
 * The listening server is Node's HTTP/1.1 server with a first look of ours at
 * each connection, so that all of Node's counting, expiring and closing of
 * connections holds. Connections that begin with the HTTP/2 preface go to an
 * HTTP/2 server on the same routing. A kept-alive connection pays the look once.
 */
export function createFront(dependencies: FrontDependencies): Front {
  const limits = { ...defaultFrontLimits, ...dependencies.limits };
  const http1 = createHttp1Server(limits, dependencies.takesUpgrade ?? (() => false));
  const http2 = createHttp2Server(limits);
  const connections = new Connections();
  const draining = new AbortController();
  const deadline = new AbortController();
  connections.divide(http1, http2, limits.firstByteMs);

  return {
    fastifyOptions: {
      serverFactory: (handler) => {
        serveHttp1(http1, handler, dependencies.errorBody);
        serveHttp2(http2, handler, dependencies.errorBody);
        return http1;
      },
      clientErrorHandler: createClientErrorHandler(dependencies.errorBody),
    },
    listen: (host, port) => listen(http1, host, port, dependencies.variables),
    get connectionCount() {
      return connections.count;
    },
    draining: draining.signal,
    deadline: deadline.signal,
    async drain(deadlineMs) {
      const closed = closeGently(http1).then(() => true);
      connections.destroySilent();
      http2.close();
      draining.abort();
      if (await valueInTime(closed, deadlineMs, false)) return;
      deadline.abort();
      await valueInTime(closed, limits.farewellMs, false);
      connections.destroyAll();
      await closed;
    },
  };
}

function serveHttp1(server: Http1Server, handler: RequestListener, errorBody: RenderRefusal): void {
  const serve: RequestListener = (request, response) => {
    const refusal = hostRefusal(request);
    if (refusal === undefined) handler(request, response);
    else refuseRequest(response, refusal, errorBody);
  };
  server.on("request", (request, response) => {
    lingerWhenUnread(request, response);
    // Whoever reads a body hears that it broke off; who has just stopped would leave that to nobody.
    request.on("error", ignore);
    serve(request, response);
  });
  serveUpgrades(server, serve);
  server.on("checkExpectation", (_request, response: ServerResponse) => {
    refuseRequest(response, expectationRefusal(), errorBody);
  });
}

function ignore(): void {}

type Http2Listener = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

function serveHttp2(server: Http2Server, handler: RequestListener, errorBody: RenderRefusal): void {
  server.on("request", (request, response) => {
    joinCredentials(request);
    // Node's HTTP/2 requests and responses have the shape of the HTTP/1.1 ones; Fastify serves both.
    (handler as unknown as Http2Listener)(request, response);
  });
  server.on("checkContinue", (request, response: Http2ServerResponse) => {
    // The caller may have taken the stream back in the same packet; Node would throw.
    if (!response.stream.destroyed && !response.stream.closed) response.writeContinue();
    server.emit("request", request, response);
  });
  server.on("checkExpectation", (_request, response: Http2ServerResponse) => {
    refuseRequest(response, expectationRefusal(), errorBody);
  });
}

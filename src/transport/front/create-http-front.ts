import type { RequestListener, Server as Http1Server, ServerResponse } from "node:http";
import type { Http2Server, Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { Socket } from "node:net";
import type { FastifyInstance, FastifyServerOptions } from "fastify";
import { createClientErrorHandler } from "./client-error.ts";
import { InboundConnectionLimiter } from "./connection-limiter.ts";
import { OpenConnections, findHttp2SessionSocket } from "./connections.ts";
import { drainServer } from "./drain.ts";
import type { ErrorBodyRenderer } from "../rest/error.ts";
import { defaultHttpListenerLimits, type HttpListenerLimits } from "./front-limits.ts";
import { createHttp1Server, type HttpUpgradePredicate } from "./http1-server.ts";
import { createHttp2Server } from "./http2-server.ts";
import { joinAuthorizationHeaders } from "./join-credentials.ts";
import { closeHttp2StreamIfBodyUnread, lingerOnUnreadBody } from "./linger.ts";
import {
  unsupportedExpectationError,
  findHostHeaderError,
  findTransferCodingError,
  sendHttpErrorAndClose,
} from "./reject-request.ts";
import { serveHttpUpgrades } from "./upgrades.ts";
import { listenOnAddress, type ListenAddressVariableNames, type BoundAddress } from "./listen.ts";
import { UnreadResponseLimiter } from "./unread-answers.ts";
import { withTimeoutFallback } from "../../platform/with-timeout.ts";

export interface HttpListenerDependencies {
  readonly errorBody: ErrorBodyRenderer;
  /** Named by the error when the address cannot be listened on. */
  readonly variables: ListenAddressVariableNames;
  readonly limits?: Partial<HttpListenerLimits>;
  /** Addresses and CIDRs of proxies, which hold connections for many callers. Default: none. */
  readonly trustedProxies?: readonly string[];
  /** Upgrades that are served like requests (`upgradeHead`); absent: all are ignored. */
  readonly acceptsUpgrade?: HttpUpgradePredicate | undefined;
}

/** One listening port that speaks HTTP/1.1 and cleartext HTTP/2. */
export interface HttpListener {
  /** Spread these into `fastify({…})`: the application is served by this front. */
  readonly fastifyOptions: Pick<FastifyServerOptions, "serverFactory" | "clientErrorHandler">;
  /** Counts the answers of an application that are held whole. Before its routes are registered. */
  watchAnswers(app: FastifyInstance): void;
  /** Only after `await app.ready()`. Rejects with a `ListenError`. */
  listen(host: string, port: number): Promise<BoundAddress>;
  /** Connections that are open now, those that have sent nothing yet included. */
  readonly connectionCount: number;
  /** Aborted when the drain begins. */
  readonly draining: AbortSignal;
  /**
   * Aborted when the drain deadline has passed: whoever still streams has
   * `goawayGraceMs` to write a last event and end.
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
export function createHttpListener(dependencies: HttpListenerDependencies): HttpListener {
  const limits = { ...defaultHttpListenerLimits, ...dependencies.limits };
  const http1 = createHttp1Server(limits, dependencies.acceptsUpgrade ?? (() => false));
  const http2 = createHttp2Server(limits);
  const limiter = new InboundConnectionLimiter(limits, dependencies.trustedProxies ?? []);
  const connections = new OpenConnections(limiter);
  const unread = new UnreadResponseLimiter(limits);
  const draining = new AbortController();
  const deadline = new AbortController();
  connections.dispatchByProtocol(http1, http2, limits.firstByteMs);

  return {
    fastifyOptions: {
      serverFactory: (handler) => {
        serveHttp1(http1, handler, dependencies.errorBody, limits.unreadMs, unread, limiter);
        serveHttp2(http2, handler, dependencies.errorBody, unread, limiter);
        return http1;
      },
      clientErrorHandler: createClientErrorHandler(dependencies.errorBody),
    },
    watchAnswers(app) {
      // Fastify writes them to HTTP/2 in pieces, as they are read.
      app.addHook("onSend", (_request, { raw }, payload, done) => {
        const isWhole = typeof payload === "string" || Buffer.isBuffer(payload);
        if (isWhole && raw.req.httpVersionMajor === 2) unread.hold(raw, Buffer.byteLength(payload));
        done();
      });
    },
    listen: (host, port) => listenOnAddress(http1, host, port, dependencies.variables),
    get connectionCount() {
      return connections.count;
    },
    draining: draining.signal,
    deadline: deadline.signal,
    async drain(deadlineMs) {
      const closed = drainServer(http1).then(() => true);
      connections.destroyIdleUnidentified();
      http2.close();
      draining.abort();
      if (await withTimeoutFallback(closed, deadlineMs, false)) return;
      deadline.abort();
      await withTimeoutFallback(closed, limits.goawayGraceMs, false);
      connections.destroyAll();
      await closed;
    },
  };
}

function serveHttp1(
  server: Http1Server,
  handler: RequestListener,
  errorBody: ErrorBodyRenderer,
  unreadMs: number,
  unread: UnreadResponseLimiter,
  limiter: InboundConnectionLimiter,
): void {
  const serve: RequestListener = (request, response) => {
    const refusal = findHostHeaderError(request) ?? findTransferCodingError(request);
    if (refusal === undefined) handler(request, response);
    else sendHttpErrorAndClose(response, refusal, errorBody);
  };
  server.on("request", (request, response) => {
    limiter.addRequest(request.socket, response);
    unread.add(request.socket, response);
    lingerOnUnreadBody(request, response, unreadMs);
    // Whoever reads a body hears that it broke off; who has just stopped would leave that to nobody.
    request.on("error", ignore);
    serveInOrder(request.socket, response, () => serve(request, response));
  });
  serveHttpUpgrades(server, serve, (socket) => {
    limiter.addRequest(socket, socket);
    unread.addUpgraded(socket);
  });
  server.on("checkExpectation", (_request, response: ServerResponse) => {
    sendHttpErrorAndClose(response, unsupportedExpectationError(), errorBody);
  });
}

/** Requests of a connection that wait for the answer to one before them. Official clients do not pipeline. */
const maxWaiting = 100;

const waiting = new WeakMap<Socket, (() => void)[]>();

/**
 * Serves the requests of a connection one after another, as their answers go out, and lets others
 * be served between them. Node gives all requests of a packet at once, which are thousands of
 * small ones. Closes a connection on which too many wait.
 */
function serveInOrder(socket: Socket, response: ServerResponse, serve: () => void): void {
  const line = waiting.get(socket);
  const begin = (): void => {
    response.once("close", () => serveNext(socket));
    serve();
  };
  if (line === undefined) {
    waiting.set(socket, []);
    begin();
  } else if (line.length < maxWaiting) line.push(begin);
  else socket.destroy();
}

function serveNext(socket: Socket): void {
  const next = waiting.get(socket)?.shift();
  if (next === undefined || socket.destroyed) waiting.delete(socket);
  else setImmediate(next);
}

function ignore(): void {}

type Http2Listener = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

function serveHttp2(
  server: Http2Server,
  handler: RequestListener,
  errorBody: ErrorBodyRenderer,
  unread: UnreadResponseLimiter,
  limiter: InboundConnectionLimiter,
): void {
  const serve: Http2Listener = (request, response) => {
    joinAuthorizationHeaders(request);
    closeHttp2StreamIfBodyUnread(request, response);
    // Node's HTTP/2 requests and responses have the shape of the HTTP/1.1 ones; Fastify serves both.
    (handler as unknown as Http2Listener)(request, response);
  };
  server.on("request", (request, response) => {
    // Node reads a whole packet before it emits its streams, so the packet may have reset them.
    if (response.stream.destroyed) {
      request.on("error", ignore);
      return;
    }
    const socket = findHttp2SessionSocket(response.stream.session);
    if (socket === undefined) {
      serve(request, response);
      return;
    }
    limiter.addRequest(socket, response.stream);
    const isGet = request.method === "GET";
    const takeBack = unread.whenRead(socket, () => {
      unread.add(socket, response, isGet);
      serve(request, response);
    });
    response.stream.once("close", takeBack);
  });
  server.on("checkContinue", (request, response: Http2ServerResponse) => {
    // The caller may have taken the stream back in the same packet; Node would throw.
    if (!response.stream.destroyed && !response.stream.closed) response.writeContinue();
    server.emit("request", request, response);
  });
  server.on("checkExpectation", (_request, response: Http2ServerResponse) => {
    sendHttpErrorAndClose(response, unsupportedExpectationError(), errorBody);
  });
}

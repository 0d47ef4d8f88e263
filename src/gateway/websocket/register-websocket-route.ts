import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { CallerKey } from "../../domain/caller-key.ts";
import type { ApiError } from "../../platform/errors.ts";
import { PrincipalExpiryRecheckTimer } from "../../platform/expiry-timer.ts";
import type { RequestBodyMemoryBudget } from "../../platform/body-memory-budget.ts";
import type { LoadAdmissionCheck } from "../../platform/load/load-shedder.ts";
import type { Principal } from "../../platform/principal.ts";
import {
  runMaybePromiseReportingErrors,
  chainMaybePromise,
  type MaybePromise,
} from "../../platform/maybe-promise.ts";
import { readCallControlHeaders } from "../admission/control-headers.ts";
import type { CallEndObserver, ModelCallPipelineDependencies } from "../model-call-pipeline.ts";
import type { CallerKeyAuthenticator } from "../ports.ts";
import { rawQueryString } from "../http/query-string.ts";
import {
  defaultWebSocketLimits,
  ResponsesWebSocketConnections,
  type ResponsesWebSocketLimits,
} from "./responses-connections.ts";
import {
  selectUpgradeCallHeaders,
  assertValidHandshake,
  responsesWebSocketPath,
} from "./upgrade-request.ts";

/** Everything the WebSocket mode works with. */
export interface ResponsesWebSocketRouteDependencies {
  readonly load: LoadAdmissionCheck;
  readonly authenticator: CallerKeyAuthenticator;
  readonly pipeline: ModelCallPipelineDependencies;
  readonly observe: (requestId: string, address: string) => CallEndObserver;
  readonly addressOf: (request: FastifyRequest) => string;
  /** Puts the key on the log line of the request. */
  readonly recordKey: (request: FastifyRequest, principal: Principal) => void;
  /** Origins whose pages may call. */
  readonly origins: readonly string[];
  /** Counts one more connection of a key until the function that is returned is called; rejects with 429. */
  readonly count: (principal: Principal) => Promise<() => void>;
  /** Calls `changed` when the credential may have ended, until the function that is returned is called. */
  readonly watch: (principal: Principal, changed: () => void) => () => void;
  /** What came behind an upgrade; undefined: the request is none. */
  readonly upgradeHead: (raw: IncomingMessage) => Buffer | undefined;
  /** The request for the connection is over. */
  readonly endUpgraded: (response: ServerResponse) => void;
  /** A failure of the database as the refusal that it is. */
  readonly translateError: (error: unknown) => ApiError | undefined;
  /** Room for the answers that connections remember. */
  readonly memoryBudget: RequestBodyMemoryBudget;
  /** Replaces limits that the contract fixes, in tests. */
  readonly socketLimits?: Partial<ResponsesWebSocketLimits>;
}

/** Mounts the WebSocket mode of the responses dialect beside its POST; a GET that is no upgrade stays 405. */
export function registerResponsesWebSocketRoute(
  app: FastifyInstance,
  dependencies: ResponsesWebSocketRouteDependencies,
): ResponsesWebSocketConnections {
  const limits = { ...defaultWebSocketLimits, ...dependencies.socketLimits };
  const sockets = new ResponsesWebSocketConnections(dependencies, limits);
  app.addHook("onClose", async () => sockets.close());
  app.route({
    method: "GET",
    url: responsesWebSocketPath,
    exposeHeadRoute: false,
    config: { isUpgrade: true },
    handler: async (request, reply) => {
      const head = dependencies.upgradeHead(request.raw);
      if (head === undefined) return reply.callNotFound();
      await open(dependencies, sockets, request, reply, head).catch((error: unknown) => {
        throw dependencies.translateError(error) ?? error;
      });
      return reply;
    },
  });
  return sockets;
}

async function open(
  dependencies: ResponsesWebSocketRouteDependencies,
  sockets: ResponsesWebSocketConnections,
  request: FastifyRequest,
  reply: FastifyReply,
  head: Buffer,
): Promise<void> {
  const { raw, headers } = request;
  const { principal } = await admit(dependencies, sockets, request);
  const closed = await count(dependencies, sockets, principal, dependencies.addressOf(request));
  reply.hijack();
  const about = {
    accountId: principal.accountId,
    address: dependencies.addressOf(request),
    query: rawQueryString(raw),
    headers: selectUpgradeCallHeaders(headers),
  };
  // Read by nobody: a client may have put a secret there, and a server repeats what it chooses of it.
  delete headers["sec-websocket-protocol"];
  // The library answers in HTML if the caller offers other protocols as well.
  headers.upgrade = "websocket";
  const check = (): MaybePromise<CallerKey> =>
    dependencies.authenticator.authenticateModelCall(
      about.headers,
      "gateway:invoke",
      ignoreError,
      about.address,
    );
  sockets.open({ raw, head }, about, closed, (refuse) =>
    watchKey(dependencies, principal, check, refuse),
  );
  dependencies.endUpgraded(reply.raw);
}

/** Checks a key when it may have changed and when it expires, until the returned function is called. */
function watchKey(
  { pipeline: journey, watch }: ResponsesWebSocketRouteDependencies,
  principal: Principal,
  check: () => MaybePromise<CallerKey>,
  refuse: (error: unknown) => void,
): () => void {
  const look = (): void =>
    runMaybePromiseReportingErrors(
      () => chainMaybePromise(check(), (key) => expiry.set(key.principal)),
      refuse,
    );
  const expiry = new PrincipalExpiryRecheckTimer(journey.clock, look);
  expiry.set(principal);
  const unwatch = watch(principal, look);
  return () => {
    unwatch();
    expiry.stop();
  };
}

/** Counts one more connection of the key, its account and its address until the returned function is called. */
async function count(
  dependencies: ResponsesWebSocketRouteDependencies,
  sockets: ResponsesWebSocketConnections,
  principal: CallerKey["principal"],
  address: string,
): Promise<() => void> {
  const leaveAccount = sockets.count(principal.accountId, address);
  try {
    const leaveKey = await dependencies.count(principal);
    return () => {
      leaveAccount();
      leaveKey();
    };
  } catch (error) {
    leaveAccount();
    throw error;
  }
}

/** Throws what a call would be refused with by its headers, and what no connection is opened for. */
async function admit(
  {
    load,
    authenticator,
    addressOf,
    recordKey: noteKey,
    origins,
  }: ResponsesWebSocketRouteDependencies,
  sockets: ResponsesWebSocketConnections,
  request: FastifyRequest,
): Promise<CallerKey> {
  load.assertAccepting();
  sockets.assertAccepting();
  const { headers } = request;
  const address = addressOf(request);
  const key = await authenticator.authenticateModelCall(
    headers,
    "gateway:invoke",
    ignoreError,
    address,
  );
  noteKey(request, key.principal);
  assertValidHandshake(request, origins);
  readCallControlHeaders(headers);
  return key;
}

/** Only model calls show the bucket of a refused key. */
function ignoreError(): void {}

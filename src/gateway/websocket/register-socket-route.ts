import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { CallerKey } from "../../kernel/caller-key.ts";
import type { ApiError } from "../../platform/errors.ts";
import type { HeldBodies } from "../../platform/held-bodies.ts";
import type { LoadGate } from "../../platform/load/load-shedder.ts";
import type { Principal } from "../../platform/principal.ts";
import { readControlHeaders } from "../admission/control-headers.ts";
import type { CallObserver, JourneyDependencies } from "../call-journey.ts";
import type { KeyAuthenticator } from "../ports.ts";
import { queryOf } from "../route/query-of.ts";
import { defaultSocketLimits, ResponseSockets, type SocketLimits } from "./response-sockets.ts";
import { headersOfCalls, judgeHandshake, socketPath } from "./upgrade-request.ts";

/** Everything the WebSocket mode works with. */
export interface SocketRouteDependencies {
  readonly load: LoadGate;
  readonly authenticator: KeyAuthenticator;
  readonly journey: JourneyDependencies;
  readonly observe: (requestId: string, address: string) => CallObserver;
  readonly addressOf: (request: FastifyRequest) => string;
  /** Puts the key on the log line of the request. */
  readonly noteKey: (request: FastifyRequest, principal: Principal) => void;
  /** Origins whose pages may call. */
  readonly origins: readonly string[];
  /** Counts one more connection of a key until the function that is returned is called; rejects with 429. */
  readonly count: (principal: Principal) => Promise<() => void>;
  /** What came behind an upgrade; undefined: the request is none. */
  readonly upgradeHead: (raw: IncomingMessage) => Buffer | undefined;
  /** The request for the connection is over. */
  readonly endUpgraded: (response: ServerResponse) => void;
  /** A failure of the database as the refusal that it is. */
  readonly translateError: (error: unknown) => ApiError | undefined;
  /** Room for the answers that connections remember. */
  readonly room: HeldBodies;
  /** Replaces limits that the contract fixes, in tests. */
  readonly socketLimits?: Partial<SocketLimits>;
}

/** Mounts the WebSocket mode of the responses dialect beside its POST; a GET that is no upgrade stays 405. */
export function registerSocketRoute(
  app: FastifyInstance,
  dependencies: SocketRouteDependencies,
): ResponseSockets {
  const limits = { ...defaultSocketLimits, ...dependencies.socketLimits };
  const sockets = new ResponseSockets(dependencies, limits);
  app.addHook("onClose", async () => sockets.close());
  app.route({
    method: "GET",
    url: socketPath,
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
  dependencies: SocketRouteDependencies,
  sockets: ResponseSockets,
  request: FastifyRequest,
  reply: FastifyReply,
  head: Buffer,
): Promise<void> {
  const { raw, headers } = request;
  const { principal } = await admit(dependencies, sockets, request);
  const closed = await dependencies.count(principal);
  reply.hijack();
  const about = {
    accountId: principal.accountId,
    address: dependencies.addressOf(request),
    query: queryOf(raw),
    headers: headersOfCalls(headers),
  };
  // Read by nobody: a client may have put a secret there, and a server repeats what it chooses of it.
  delete headers["sec-websocket-protocol"];
  sockets.open({ raw, head }, about, closed);
  dependencies.endUpgraded(reply.raw);
}

/** Throws what a call would be refused with by its headers, and what no connection is opened for. */
async function admit(
  { load, authenticator, addressOf, noteKey, origins }: SocketRouteDependencies,
  sockets: ResponseSockets,
  request: FastifyRequest,
): Promise<CallerKey> {
  load.assertTaking();
  sockets.assertTaking();
  const { headers } = request;
  const address = addressOf(request);
  const key = await authenticator.authenticateModelCall(
    headers,
    "gateway:invoke",
    unheard,
    address,
  );
  noteKey(request, key.principal);
  judgeHandshake(request, origins);
  readControlHeaders(headers);
  return key;
}

/** Only model calls show the bucket of a refused key. */
function unheard(): void {}

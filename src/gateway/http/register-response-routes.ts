import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { createAccountBodyMemoryOwner } from "../../platform/body-holder.ts";
import type { RequestBodyMemoryBudget } from "../../platform/body-memory-budget.ts";
import { queuePositionHeaderName } from "../call/call-response-headers.ts";
import { defaultEventStreamContentType } from "../call/caller-response.ts";
import type { RelayableResponse } from "../pass-through/pass-through-response.ts";
import {
  forwardResponseQueryToUpstreams,
  type UpstreamResponseQueryDependencies,
} from "../stored-responses/query-upstreams.ts";
import type { UpstreamResponseQuery } from "../stored-responses/response-query.ts";
import { createDisconnectSignal, relayUpstreamResponse } from "./relay-response.ts";
import {
  storedResponseOperations,
  type GatewayResponseStores,
  type StoredResponseOperation,
} from "./response-operations.ts";
import {
  configureResponsesRouteScope,
  type ResponsesRouteScopeDependencies,
} from "./response-scope.ts";

/** Everything the routes of kept responses work with. */
export interface StoredResponseRouteDependencies extends ResponsesRouteScopeDependencies {
  readonly here: GatewayResponseStores;
  readonly keeping: UpstreamResponseQueryDependencies;
  readonly bodies: RequestBodyMemoryBudget;
}

/**
 * Mounts what can be asked of a response, wherever it is kept: here, or with an upstream
 * of the caller's own. They speak the responses dialect, errors included, so that the
 * official client's `retrieve`, `cancel`, `delete` and `inputItems` work.
 */
export function registerStoredResponseRoutes(
  app: FastifyInstance,
  dependencies: StoredResponseRouteDependencies,
): void {
  void app.register(async (scope) => {
    configureResponsesRouteScope(scope, dependencies);
    // What a client sends along, an empty object as a rule, says nothing, and is discarded.
    scope.addContentTypeParser("*", (_request, payload, done) => {
      payload.resume();
      done(null);
    });
    for (const operation of storedResponseOperations) mount(scope, dependencies, operation);
  });
}

function mount(
  scope: FastifyInstance,
  { here, keeping, bodies }: StoredResponseRouteDependencies,
  operation: StoredResponseOperation,
): void {
  scope.route({
    method: operation.method,
    url: `/v1/responses/:id${operation.part}`,
    handler: async (request, reply) => {
      const { responseKey: key } = request;
      const held = bodies.allocate(createAccountBodyMemoryOwner(key.principal.accountId));
      reply.raw.once("close", () => held.release());
      const hold = (bytes: number) => held.hold(bytes);
      const question = { ...toResponseQuery(operation, request, reply), hold };
      const query = new URLSearchParams(question.query);
      const { id, signal } = question;
      const asked = { accountId: key.principal.accountId, id, query, signal, hold };
      const kept = await operation.handleStored(here, asked);
      if (kept === undefined)
        return relayUpstreamResponse(
          reply,
          await forwardResponseQueryToUpstreams(keeping, key, question),
        );
      const { body, queuePosition } = kept;
      if (queuePosition !== undefined) reply.header(queuePositionHeaderName, queuePosition);
      return body instanceof Readable ? relayUpstreamResponse(reply, sendStream(body)) : body;
    },
  });
}

function sendStream(body: Readable): RelayableResponse {
  return { status: 200, contentType: defaultEventStreamContentType, body };
}

function toResponseQuery(
  { method, part }: StoredResponseOperation,
  request: FastifyRequest,
  reply: FastifyReply,
): Omit<UpstreamResponseQuery, "hold"> {
  const { id } = request.params as { id: string };
  const start = request.url.indexOf("?");
  const query = start === -1 ? "" : request.url.slice(start);
  return {
    method,
    id,
    part,
    query,
    headers: request.headers,
    signal: createDisconnectSignal(reply),
  };
}

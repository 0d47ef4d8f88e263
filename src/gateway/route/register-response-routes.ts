import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { queuePositionHeader } from "../call/answer-headers.ts";
import { ownStreamType } from "../call/answer.ts";
import type { PassedAnswer } from "../relay/passed-answer.ts";
import { askKeepers, type KeeperDependencies } from "../response/ask-keepers.ts";
import type { ResponseQuestion } from "../response/response-question.ts";
import { goneSignal, passOn } from "./pass-on.ts";
import {
  responseOperations,
  type KeptHere,
  type ResponseOperation,
} from "./response-operations.ts";
import { prepareResponseScope, type ResponseScopeDependencies } from "./response-scope.ts";

/** Everything the routes of kept responses work with. */
export interface ResponseRouteDependencies extends ResponseScopeDependencies {
  readonly here: KeptHere;
  readonly keeping: KeeperDependencies;
}

/**
 * Mounts what can be asked of a response, wherever it is kept: here, or with an upstream
 * of the caller's own. They speak the responses dialect, errors included, so that the
 * official client's `retrieve`, `cancel`, `delete` and `inputItems` work.
 */
export function registerResponseRoutes(
  app: FastifyInstance,
  dependencies: ResponseRouteDependencies,
): void {
  void app.register(async (scope) => {
    prepareResponseScope(scope, dependencies);
    // What a client sends along, an empty object as a rule, says nothing, and is discarded.
    scope.addContentTypeParser("*", (_request, payload, done) => {
      payload.resume();
      done(null);
    });
    for (const operation of responseOperations) mount(scope, dependencies, operation);
  });
}

function mount(
  scope: FastifyInstance,
  { here, keeping }: ResponseRouteDependencies,
  operation: ResponseOperation,
): void {
  scope.route({
    method: operation.method,
    url: `/v1/responses/:id${operation.part}`,
    handler: async (request, reply) => {
      const { responseKey: key } = request;
      const question = questionOf(operation, request, reply);
      const query = new URLSearchParams(question.query);
      const { id, signal } = question;
      const asked = { accountId: key.principal.accountId, id, query, signal };
      const kept = await operation.ofKept(here, asked);
      if (kept === undefined) return passOn(reply, await askKeepers(keeping, key, question));
      const { body, queuePosition } = kept;
      if (queuePosition !== undefined) reply.header(queuePositionHeader, queuePosition);
      return body instanceof Readable ? passOn(reply, answerWithStream(body)) : body;
    },
  });
}

function answerWithStream(body: Readable): PassedAnswer {
  return { status: 200, contentType: ownStreamType, body };
}

function questionOf(
  { method, part }: ResponseOperation,
  request: FastifyRequest,
  reply: FastifyReply,
): ResponseQuestion {
  const { id } = request.params as { id: string };
  const start = request.url.indexOf("?");
  const query = start === -1 ? "" : request.url.slice(start);
  return { method, id, part, query, headers: request.headers, signal: goneSignal(reply) };
}

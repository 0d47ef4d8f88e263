import type { FastifyInstance } from "fastify";
import { createAccountBodyMemoryOwner } from "../../platform/body-holder.ts";
import {
  type RequestBodyMemoryBudget,
  type HeldRequestBody,
} from "../../platform/body-memory-budget.ts";
import { collectCallRequestBody } from "../call/read-body.ts";
import {
  countInputTokens,
  type InputTokenCountDependencies,
} from "../stored-responses/count-input-tokens.ts";
import { createDisconnectSignal, relayUpstreamResponse } from "./relay-response.ts";
import {
  configureResponsesRouteScope,
  type ResponsesRouteScopeDependencies,
} from "./response-scope.ts";

/** Everything the count of a body's tokens works with. */
export interface InputTokensRouteDependencies extends ResponsesRouteScopeDependencies {
  readonly counting: InputTokenCountDependencies;
  readonly bodies: RequestBodyMemoryBudget;
  readonly maxBodyBytes: number;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Where the body of this request is counted among those that are held. */
    heldBody: HeldRequestBody;
  }
}

const nothing = Buffer.alloc(0);

/** Mounts the count of input tokens, the official client's `responses.inputTokens.count`. */
export function registerInputTokensRoute(
  app: FastifyInstance,
  dependencies: InputTokensRouteDependencies,
): void {
  const { counting, bodies, maxBodyBytes } = dependencies;
  void app.register(async (scope) => {
    configureResponsesRouteScope(scope, dependencies);
    // The hook below fills it before the body is read.
    scope.decorateRequest("heldBody");
    scope.addHook("onRequest", async (request, reply) => {
      const holder = createAccountBodyMemoryOwner(request.responseKey.principal.accountId);
      const held = bodies.allocate(holder, reply.raw);
      reply.raw.once("close", () => held.release());
      request.heldBody = held;
    });
    scope.addContentTypeParser("*", ({ raw, heldBody }, _payload, done) => {
      collectCallRequestBody(raw, maxBodyBytes, heldBody, (refusal, bytes) =>
        done(refusal as Error, bytes),
      );
    });
    scope.post("/v1/responses/input_tokens", async (request, reply) => {
      const { responseKey: key, headers, body, heldBody } = request;
      const bytes = Buffer.isBuffer(body) ? body : nothing;
      const ended = new AbortController();
      heldBody.finish((reason) => ended.abort(reason));
      const signal = AbortSignal.any([createDisconnectSignal(reply), ended.signal]);
      const hold = (more: number) => heldBody.hold(more);
      const counted = countInputTokens(counting, { key, headers, bytes, hold, signal });
      return relayUpstreamResponse(
        reply,
        await counted.catch((error: unknown) => {
          throw ended.signal.aborted ? ended.signal.reason : error;
        }),
      );
    });
  });
}

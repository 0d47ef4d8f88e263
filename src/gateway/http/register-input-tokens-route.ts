import type { FastifyInstance } from "fastify";
import { createAccountBodyOwner } from "../../platform/body-holder.ts";
import { type BodyMemoryBudget, type BodyAllocation } from "../../platform/body-memory-budget.ts";
import { collectCallRequestBody } from "../call/read-body.ts";
import {
  countInputTokens,
  type InputTokenCountDependencies,
} from "../stored-responses/count-input-tokens.ts";
import { createDisconnectSignal, relayResponse } from "./relay-response.ts";
import {
  configureResponseRouteScope,
  type ResponsesRouteScopeDependencies,
} from "./response-scope.ts";

/** Everything the count of a body's tokens works with. */
export interface InputTokensDependencies extends ResponsesRouteScopeDependencies {
  readonly counting: InputTokenCountDependencies;
  readonly bodies: BodyMemoryBudget;
  readonly maxBodyBytes: number;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Where the body of this request is counted among those that are held. */
    heldBody: BodyAllocation;
  }
}

const nothing = Buffer.alloc(0);

/** Mounts the count of input tokens, the official client's `responses.inputTokens.count`. */
export function registerInputTokensRoute(
  app: FastifyInstance,
  dependencies: InputTokensDependencies,
): void {
  const { counting, bodies, maxBodyBytes } = dependencies;
  void app.register(async (scope) => {
    configureResponseRouteScope(scope, dependencies);
    // The hook below fills it before the body is read.
    scope.decorateRequest("heldBody");
    scope.addHook("onRequest", async (request, reply) => {
      const holder = createAccountBodyOwner(request.responseKey.principal.accountId);
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
      return relayResponse(
        reply,
        await counted.catch((error: unknown) => {
          throw ended.signal.aborted ? ended.signal.reason : error;
        }),
      );
    });
  });
}

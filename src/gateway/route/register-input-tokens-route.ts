import type { FastifyInstance } from "fastify";
import { accountHolder } from "../../platform/body-holder.ts";
import { type HeldBodies, type HeldBody } from "../../platform/held-bodies.ts";
import { readBody } from "../call/read-body.ts";
import { countInputTokens, type CountDependencies } from "../response/count-input-tokens.ts";
import { goneSignal, passOn } from "./pass-on.ts";
import { prepareResponseScope, type ResponseScopeDependencies } from "./response-scope.ts";

/** Everything the count of a body's tokens works with. */
export interface InputTokensDependencies extends ResponseScopeDependencies {
  readonly counting: CountDependencies;
  readonly bodies: HeldBodies;
  readonly maxBodyBytes: number;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Where the body of this request is counted among those that are held. */
    heldBody: HeldBody;
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
    prepareResponseScope(scope, dependencies);
    // The hook below fills it before the body is read.
    scope.decorateRequest("heldBody");
    scope.addHook("onRequest", async (request, reply) => {
      const holder = accountHolder(request.responseKey.principal.accountId);
      const held = bodies.open(holder, reply.raw);
      reply.raw.once("close", () => held.release());
      request.heldBody = held;
    });
    scope.addContentTypeParser("*", ({ raw, heldBody }, _payload, done) => {
      readBody(raw, maxBodyBytes, heldBody, (refusal, bytes) => done(refusal as Error, bytes));
    });
    scope.post("/v1/responses/input_tokens", async (request, reply) => {
      const { responseKey: key, headers, body, heldBody } = request;
      const bytes = Buffer.isBuffer(body) ? body : nothing;
      const ended = new AbortController();
      heldBody.finish((reason) => ended.abort(reason));
      const signal = AbortSignal.any([goneSignal(reply), ended.signal]);
      const counted = countInputTokens(counting, { key, headers, bytes, signal });
      return passOn(
        reply,
        await counted.catch((error: unknown) => {
          throw ended.signal.aborted ? ended.signal.reason : error;
        }),
      );
    });
  });
}

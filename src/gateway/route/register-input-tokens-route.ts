import type { FastifyInstance } from "fastify";
import type { HeldBodies, HeldBody } from "../../platform/held-bodies.ts";
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
      const held = bodies.open(request.responseKey.principal.keyId);
      reply.raw.once("close", () => held.release());
      request.heldBody = held;
    });
    scope.addContentTypeParser("*", ({ raw, heldBody }, _payload, done) => {
      readBody(raw, maxBodyBytes, heldBody, (refusal, bytes) => done(refusal as Error, bytes));
    });
    scope.post("/v1/responses/input_tokens", async ({ responseKey: key, headers, body }, reply) => {
      const bytes = Buffer.isBuffer(body) ? body : nothing;
      const signal = goneSignal(reply);
      return passOn(reply, await countInputTokens(counting, { key, headers, bytes, signal }));
    });
  });
}

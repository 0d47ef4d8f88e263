import type { HandlerContext } from "@connectrpc/connect";
import type { FastifyInstance, FastifyRequest, RouteOptions } from "fastify";
import { methodBodyLimit } from "../body-limit.ts";
import { registerRawBodyParser } from "../reserve-body-memory.ts";
import type { RpcPipeline } from "../interceptors/rpc-pipeline.ts";
import type { MountedService } from "../mounted-service.ts";
import { compileResponseSender } from "./send-response.ts";
import { compileRequestBinder } from "./bind.ts";
import { createRestMethodInvoker, createRpcHandlerContext } from "./invoke.ts";
import { getJsonTypedBodyBytes, parseJsonBody } from "./json-body.ts";
import { readRestRules, type RestRule } from "../../contract/rest-rule.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Context of the call that a REST route has opened, from its gate to its answer. */
    restCall: HandlerContext;
  }
}

export interface RestRouteDependencies {
  readonly pipeline: RpcPipeline;
  /** Bytes of a body on methods with `large_body`. */
  readonly largeBodyBytes: number;
}

/**
 * Serves the unary methods of the services over REST, as their options say:
 * everything is compiled here, and an option that cannot be served fails the
 * start. The routes live in a scope of their own, where any body arrives as bytes.
 */
export function mountRest(
  app: FastifyInstance,
  services: readonly MountedService[],
  dependencies: RestRouteDependencies,
): void {
  void app.register(async (scope) => {
    scope.decorateRequest("restCall");
    // Content types are judged after the credential, and only where a body is read at all.
    registerRawBodyParser(scope);
    for (const mounted of services) {
      const rules = mounted.service.methods.flatMap(readRestRules);
      for (const rule of rules) scope.route(restRoute(rule, mounted, dependencies));
    }
  });
}

function restRoute(
  rule: RestRule,
  mounted: MountedService,
  dependencies: RestRouteDependencies,
): RouteOptions {
  const { pipeline, largeBodyBytes } = dependencies;
  const bind = compileRequestBinder(rule);
  const invoke = createRestMethodInvoker(mounted, rule.method, pipeline.interceptors);
  const send = compileResponseSender(rule);
  return {
    method: rule.httpMethod,
    url: rule.route,
    bodyLimit: methodBodyLimit(rule.method, largeBodyBytes),
    onRequest: async (request, reply) => {
      request.restCall = createRpcHandlerContext(rule.method, request, reply);
      await pipeline.gate(request.restCall);
    },
    handler: async (request, reply) => {
      const message = bind({
        params: pathValues(rule, request),
        query: request.query as Record<string, unknown>,
        body: rule.body === undefined ? undefined : bodyOf(rule, request),
      });
      const answer = await invoke(request.restCall, message);
      return send(reply, answer, request.restCall.responseHeader);
    },
  };
}

/** By the names of the fields that they bind. */
function pathValues({ restField }: RestRule, { params }: FastifyRequest): Record<string, unknown> {
  const values = params as Record<string, unknown>;
  return restField === undefined ? values : { ...values, [restField]: values["*"] };
}

function bodyOf({ takesBytes }: RestRule, { body, headers }: FastifyRequest): unknown {
  const read = takesBytes ? getJsonTypedBodyBytes : parseJsonBody;
  return read(body as Buffer | undefined, headers["content-type"]);
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { HeldBodies } from "../../platform/held-bodies.ts";
import type { LoadGate } from "../../platform/load/load-shedder.ts";
import type { AddressLimit } from "../../platform/rate-limit/address-limit.ts";
import { holdBody, takeBodiesAsBytes } from "../hold-body.ts";
import type { CallPipeline } from "../interceptors/pipeline.ts";
import type { MountedService } from "../mounted-service.ts";
import { ordinaryBodyBytes } from "../body-limit.ts";
import { assertNotRebound, type GuardedNames } from "./guard.ts";
import { createMcpServer, type McpServerOptions } from "./mcp-server.ts";
import { mcpTools } from "./tool.ts";

export interface McpDependencies
  extends Pick<McpServerOptions, "info" | "instructions">, GuardedNames {
  readonly services: readonly MountedService[];
  readonly pipeline: CallPipeline;
  readonly load: LoadGate;
  readonly addressLimit: AddressLimit;
  readonly bodies: HeldBodies;
  /** Aborted when calls in flight must end, at the drain deadline. */
  readonly shutdownSignal: AbortSignal;
}

const path = "/mcp";

/**
 * Serves the tools of the services over MCP at `/mcp`, through the interceptors of
 * every other protocol. Streams and sessions of earlier revisions are not offered:
 * GET and DELETE are 405, as these revisions allow.
 */
export function mountMcp(app: FastifyInstance, dependencies: McpDependencies): void {
  const { services, pipeline, load, addressLimit, shutdownSignal } = dependencies;
  const tools = services.flatMap((mounted) => mcpTools(mounted, pipeline));
  const server = createMcpServer({ ...dependencies, tools, maxBodyBytes: ordinaryBodyBytes });
  shutdownSignal.addEventListener("abort", () => void server.close(), { once: true });
  void app.register(async (scope) => {
    takeBodiesAsBytes(scope);
    scope.route({
      method: "POST",
      url: path,
      bodyLimit: ordinaryBodyBytes,
      onRequest: async (request, reply) => {
        load.assertTaking();
        assertNotRebound({ host: request.host, origin: request.headers.origin }, dependencies);
        void reply.headers(await addressLimit.take(request.scope.address));
        holdBody(dependencies.bodies, request.scope);
      },
      handler: async (request, reply) => {
        const admit = callAdmission(addressLimit, request.scope.address);
        const exchange = { request, reply, admit };
        return reply.send(await server.answer(webRequest(request, reply), exchange));
      },
    });
  });
}

/** The first call has been counted with its request; every other in a batch counts like a request. */
function callAdmission(limit: AddressLimit, address: string): () => Promise<void> {
  let isCounted = true;
  return async () => {
    const wasCounted = isCounted;
    isCounted = false;
    if (!wasCounted) await limit.take(address);
  };
}

/** The request as the library takes it; its signal ends with the answer. */
function webRequest({ headers, body, host }: FastifyRequest, reply: FastifyReply): Request {
  const ended = new AbortController();
  reply.raw.once("close", () => ended.abort());
  const pairs = Object.entries(headers).flatMap(([name, value]) => {
    const isField = value !== undefined && !name.startsWith(":");
    return isField ? [value].flat().map((item): [string, string] => [name, item]) : [];
  });
  return new Request(`http://${host}${path}`, {
    method: "POST",
    headers: pairs,
    body: (body as Buffer | undefined) ?? null,
    signal: ended.signal,
  });
}

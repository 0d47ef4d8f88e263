import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { RequestBodyMemoryBudget } from "../../platform/body-memory-budget.ts";
import type { LoadAdmissionCheck } from "../../platform/load/load-shedder.ts";
import type { AddressRateLimiter } from "../../platform/rate-limit/address-limit.ts";
import { reserveRequestBodyMemory, registerRawBodyParser } from "../reserve-body-memory.ts";
import type { RpcPipeline } from "../interceptors/rpc-pipeline.ts";
import type { MountedService } from "../mounted-service.ts";
import { anonymousMaxBodyBytes } from "../body-limit.ts";
import { assertNoDnsRebinding, type DnsRebindingAllowedHosts } from "./dns-rebinding-guard.ts";
import { ApiError } from "../../platform/errors.ts";
import { countJsonValues } from "../../platform/json-splice/count-values.ts";
import { createMcpServer, type McpServerOptions } from "./mcp-server.ts";
import { createMcpToolsFromRpcMethods } from "./tool.ts";

export interface McpRouteDependencies
  extends Pick<McpServerOptions, "info" | "instructions">, DnsRebindingAllowedHosts {
  readonly services: readonly MountedService[];
  readonly pipeline: RpcPipeline;
  readonly load: LoadAdmissionCheck;
  readonly addressLimit: AddressRateLimiter;
  readonly bodies: RequestBodyMemoryBudget;
  /** Aborted when calls in flight must end, at the drain deadline. */
  readonly shutdownSignal: AbortSignal;
}

const path = "/mcp";

/**
 * Serves the tools of the services over MCP at `/mcp`, through the interceptors of
 * every other protocol. Streams and sessions of earlier revisions are not offered:
 * GET and DELETE are 405, as these revisions allow.
 */
export function mountMcp(app: FastifyInstance, dependencies: McpRouteDependencies): void {
  const { services, pipeline, load, addressLimit, shutdownSignal } = dependencies;
  const tools = services.flatMap((mounted) => createMcpToolsFromRpcMethods(mounted, pipeline));
  const server = createMcpServer({ ...dependencies, tools, maxBodyBytes: anonymousMaxBodyBytes });
  shutdownSignal.addEventListener("abort", () => void server.close(), { once: true });
  void app.register(async (scope) => {
    registerRawBodyParser(scope);
    scope.route({
      method: "POST",
      url: path,
      bodyLimit: anonymousMaxBodyBytes,
      onRequest: async (request, reply) => {
        load.assertAccepting();
        assertNoDnsRebinding({ host: request.host, origin: request.headers.origin }, dependencies);
        void reply.headers(await addressLimit.take(request.scope.address));
        reserveRequestBodyMemory(dependencies.bodies, request.scope);
      },
      handler: async (request, reply) => {
        const admit = callAdmission(addressLimit, request.scope.address);
        const exchange = { request, reply, admit };
        assertFewValues(request.body as Buffer | undefined);
        return reply.send(await server.handle(webRequest(request, reply), exchange));
      },
    });
  });
}

/** Objects, lists, members and items that a request may have. A call with 25 packages has about 130. */
const maxValues = 5000;

/**
 * Throws 400 for JSON of more values than a request can need: the library checks and copies
 * each several times.
 */
function assertFewValues(bytes: Buffer | undefined): void {
  if (bytes === undefined || countJsonValues(bytes, maxValues) <= maxValues) return;
  throw new ApiError(
    "invalid_request",
    `The request has more than ${maxValues} JSON values. Send calls in several requests.`,
  );
}

/** The first call has been counted with its request; every other in a batch counts like a request. */
function callAdmission(limit: AddressRateLimiter, address: string): () => Promise<void> {
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

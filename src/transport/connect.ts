import { setMaxListeners } from "node:events";
import type { DescMethod } from "@bufbuild/protobuf";
import type { ConnectRouter } from "@connectrpc/connect";
import type { UniversalHandler } from "@connectrpc/connect/protocol";
import { fastifyConnectPlugin } from "@connectrpc/connect-fastify";
import type {
  FastifyInstance,
  FastifyRequest,
  RouteHandlerMethod,
  RouteShorthandOptions,
} from "fastify";
import { ApiError, invalidRequestError } from "../platform/errors.ts";
import { methodBodyLimit } from "./body-limit.ts";
import { readBodyWithinBudget, type IncomingRpcBodyInfo } from "./reserve-body-memory.ts";
import { apiErrorToConnectError } from "./interceptors/connect-error.ts";
import { wrapHandlersWithErrorDetails } from "./interceptors/describe-protocol-errors.ts";
import type { RpcPipeline } from "./interceptors/rpc-pipeline.ts";
import { requireMethodImplementation, type MountedService } from "./mounted-service.ts";
import { createRequestContextValues } from "./request-scope.ts";
import type { ErrorDocUrlBuilder } from "./rest/error-body.ts";

export interface ConnectRpcDependencies {
  readonly pipeline: RpcPipeline;
  /** Bytes of a message on methods with `large_body`. */
  readonly largeBodyBytes: number;
  /** Aborted when calls in flight must end, at the drain deadline. */
  readonly shutdownSignal: AbortSignal;
}

/**
 * Serves the services over Connect, gRPC and gRPC-web, through the same gate and
 * interceptors as REST. The library's plugin replaces the content type parsers,
 * so it lives in a scope of its own.
 */
export function mountConnect(
  app: FastifyInstance,
  services: readonly MountedService[],
  { pipeline, largeBodyBytes, shutdownSignal }: ConnectRpcDependencies,
): void {
  // Every call in flight listens to it, and Node would warn of the eleventh.
  setMaxListeners(0, shutdownSignal);
  void app.register(async (scope) => {
    const handlers = new Map<string, UniversalHandler>();
    scope.addHook("onRequest", async (request) => {
      assertAllowed(request, handlers.get(request.routeOptions.url ?? ""));
    });
    scope.addHook("preHandler", async (request) => {
      const handler = handlers.get(request.routeOptions.url ?? "");
      if (handler !== undefined)
        countBody(request, handler.method, largeBodyBytes, pipeline.docUrl);
    });
    registerOnly(scope, (path) => handlers.get(path)?.allowedMethods ?? []);
    await scope.register(fastifyConnectPlugin, {
      interceptors: pipeline.interceptors,
      requestGate: pipeline.gate,
      contextValues: createRequestContextValues,
      shutdownSignal,
      routes: (router) => {
        for (const mounted of services) addMethods(router, mounted, largeBodyBytes);
        wrapHandlersWithErrorDetails(router, pipeline.docUrl);
        for (const handler of router.handlers) handlers.set(handler.requestPath, handler);
      },
    });
  });
}

function addMethods(router: ConnectRouter, mounted: MountedService, largeBodyBytes: number): void {
  for (const method of mounted.service.methods) {
    router.rpc<DescMethod>(method, requireMethodImplementation(mounted, method), {
      readMaxBytes: methodBodyLimit(method, largeBodyBytes),
    });
  }
}

/**
 * The library wants a route of each operation for every method that Fastify knows.
 * Only those of the protocols are made, which is 70 ms less of a start; the answer
 * to the others is that of every path.
 */
function registerOnly(
  scope: FastifyInstance,
  methodsOf: (path: string) => readonly string[],
): void {
  function all(
    this: FastifyInstance,
    url: string,
    options: RouteShorthandOptions,
    handler: RouteHandlerMethod,
  ): FastifyInstance {
    const method = [...new Set(methodsOf(url))];
    return this.route({ ...options, method, url, handler, exposeHeadRoute: false });
  }
  scope.all = all as FastifyInstance["all"];
}

/** The library answers these without a word, and a request whose host makes no URL never. */
function assertAllowed(request: FastifyRequest, handler: UniversalHandler | undefined): void {
  if (!URL.canParse(`http://${request.host}`)) {
    throw invalidRequestError("host", "The request names no host, or none that a URL can have.");
  }
  const contentType = request.headers["content-type"] ?? "";
  if (request.method === "POST" && handler?.supportedContentType(contentType) === false) {
    throw invalidRequestError(
      "content-type",
      "The content type is none of Connect, gRPC or gRPC-web.",
    );
  }
}

/** Bytes before a message of gRPC, gRPC-web, or a stream of Connect. */
const envelopeBytes = 5;

/** Headers that name the compression of a body. */
const encodingHeaders = ["content-encoding", "grpc-encoding"];

/** The library reads what is put here in the place of the body itself. */
function countBody(
  request: FastifyRequest,
  method: DescMethod,
  largeBodyBytes: number,
  docUrl: ErrorDocUrlBuilder,
): void {
  if (request.method !== "POST") return;
  const isStream = ["client_streaming", "bidi_streaming"].includes(method.methodKind);
  const limit = methodBodyLimit(method, largeBodyBytes) + envelopeBytes;
  request.body = bodyOf(request, { limit, isStream }, docUrl);
}

async function* bodyOf(
  { headers, scope, raw }: FastifyRequest,
  body: Pick<IncomingRpcBodyInfo, "limit" | "isStream">,
  docUrl: ErrorDocUrlBuilder,
): AsyncIterable<Uint8Array> {
  try {
    const contentLength = headers["content-length"];
    const isCompressed = encodingHeaders.some((name) => headers[name] !== undefined);
    yield* readBodyWithinBudget(raw, scope, { ...body, contentLength, isCompressed });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    scope.errorCode = error.code;
    throw apiErrorToConnectError(error, scope.requestId, docUrl);
  }
}

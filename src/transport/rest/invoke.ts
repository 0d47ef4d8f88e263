import type { DescMethodUnary, Message } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  createHandlerContext,
  type HandlerContext,
  type Interceptor,
} from "@connectrpc/connect";
import { invokeUnaryImplementation } from "@connectrpc/connect/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import { requireMethodImplementation, type MountedService } from "../mounted-service.ts";
import { createRequestContextValues } from "../request-scope.ts";
import { toWebHeaderPairs } from "./web-headers.ts";

/** Name of the protocol in handler contexts, beside `connect`, `grpc` and `grpc-web`. */
const restProtocolName = "rest";

/** Why the signal of a call is aborted. */
const closed = new ConnectError("the response is closed", Code.Canceled);

/** Opens the context of a call: its headers, and a signal that ends with the response or when the caller hangs up. */
export function createRpcHandlerContext(
  method: DescMethodUnary,
  request: FastifyRequest,
  reply: FastifyReply,
): HandlerContext {
  const context = createHandlerContext({
    service: method.parent,
    method,
    protocolName: restProtocolName,
    requestMethod: request.method,
    url: `http://${request.host}${request.url}`,
    requestHeader: toWebHeaderPairs(request.headers),
    contextValues: createRequestContextValues(request),
  });
  reply.raw.once("close", () => context.abort(closed));
  return context;
}

/** Calls a method as a protocol handler of the library would. */
export type MethodInvoker = (context: HandlerContext, request: Message) => Promise<Message>;

/**
 * The way from a REST request to the implementation: the function that the
 * library's own protocol handlers call, with the same interceptors. It is
 * exported but not covered by the library's versioning, so it is used here only,
 * the version is pinned and a contract test compares it with the public way.
 */
export function createRestMethodInvoker(
  mounted: MountedService,
  method: DescMethodUnary,
  interceptors: Interceptor[],
): MethodInvoker {
  const spec = {
    kind: "unary" as const,
    method,
    impl: requireMethodImplementation(mounted, method),
  };
  return (context, request) => invokeUnaryImplementation(spec, context, request, interceptors);
}

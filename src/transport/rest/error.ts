import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ApiError, type ErrorCode } from "../../platform/errors.ts";
import type { ProcessLoggers } from "../../platform/log.ts";
import { toKnownApiError } from "../interceptors/connect-error.ts";
import { toInternalError } from "../interceptors/errors.ts";
import { openHttpRequestScope } from "../open-request-scope.ts";
import { buildErrorHeaders, type RestErrorBody } from "./error-body.ts";
import { findErrorFormat, type PathErrorFormat } from "./path-error-format.ts";
import { RouteMethodTable } from "./route-table.ts";

/** Renders a refusal, see `createRestErrorRenderer`. */
export type ErrorBodyRenderer = (error: ApiError, requestId: string) => RestErrorBody;

/** How refusals are written: flat, but at some paths. */
export interface RestErrorFormats {
  readonly errorBody: ErrorBodyRenderer;
  readonly atPaths?: readonly PathErrorFormat[];
}

type FrameworkErrorHandler = (error: Error, request: FastifyRequest, reply: FastifyReply) => void;

/**
 * Makes every error of the server the flat error body (docs/contract.md#errors): refusals,
 * Fastify's own (body too large, bad content type), unknown paths (404) and wrong
 * methods (405 with `allow`); at some paths it has another form. Install it on the
 * root instance before any route.
 */
export function installErrorHandling(app: FastifyInstance, forms: RestErrorFormats): void {
  const routes = new RouteMethodTable();
  routes.observe(app);
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, forms));
  // Before the body of a request that goes nowhere is read.
  app.addHook("onRequest", (request, _reply, done) => {
    done(request.is404 ? routeRefusal(request, routes) : undefined);
  });
  app.setNotFoundHandler((request, reply) => {
    return sendError(routeRefusal(request, routes), request, reply, forms);
  });
}

/** Fastify's `frameworkErrors` option: requests whose URL cannot be routed, which no hook sees. */
export function createFrameworkErrorHandler(
  forms: RestErrorFormats,
  logs: ProcessLoggers,
): FrameworkErrorHandler {
  return (error, request, reply) => {
    openHttpRequestScope(request, reply, logs);
    void sendError(error, request, reply, forms);
  };
}

function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  forms: RestErrorFormats,
): FastifyReply {
  const refusal =
    toKnownApiError(error) ?? frameworkRefusal(error, request) ?? unexpectedError(error, request);
  request.scope.errorCode = refusal.code;
  settleConnection(request, reply);
  return reply
    .code(refusal.status)
    .headers(buildErrorHeaders(refusal))
    .type("application/json; charset=utf-8")
    .send(printedError(refusal, request, reply, forms));
}

/** The clients of the forms at paths look for the request id under another name, too. */
function printedError(
  refusal: ApiError,
  { url, scope: { requestId } }: FastifyRequest,
  reply: FastifyReply,
  { errorBody, atPaths = [] }: RestErrorFormats,
): string {
  const form = findErrorFormat(atPaths, url);
  if (form === undefined) return JSON.stringify(errorBody(refusal, requestId));
  void reply.header("request-id", requestId);
  return form.print(refusal, requestId);
}

/** A refused body of at most so many bytes is read to its end and thrown away. */
const maxDiscardBytes = 64 * 1024 * 1024;

/**
 * Many clients read no answer before they have sent their whole body, and lose it
 * when the connection is closed on them. So a body of a known and bearable size is
 * discarded (Node does that by itself), where Fastify would have closed. A body that was
 * ended (`closeAfterResponse`) is not waited for.
 */
function settleConnection({ raw, headers }: FastifyRequest, reply: FastifyReply): void {
  const length = Number(headers["content-length"] ?? Number.NaN);
  const isEnded = raw.httpVersionMajor === 1 && !reply.raw.shouldKeepAlive;
  const isDiscarded = !isEnded && (raw.httpVersionMajor > 1 || length <= maxDiscardBytes);
  if (isDiscarded && reply.hasHeader("connection")) reply.removeHeader("connection");
  if (length > maxDiscardBytes && !isDiscarded) void reply.header("connection", "close");
}

function unexpectedError(error: unknown, { scope }: FastifyRequest): ApiError {
  scope.log.error({ err: error }, "unforeseen error");
  return toInternalError(error);
}

/** What Fastify itself refuses, in our words; undefined for an error that is not Fastify's. */
function frameworkRefusal(error: unknown, request: FastifyRequest): ApiError | undefined {
  if (!(error instanceof Error) || !("statusCode" in error)) return undefined;
  const status = Number(error.statusCode);
  const limit = request.routeOptions.bodyLimit?.toString() ?? "";
  switch (status) {
    case 413:
      return refusal("request_too_large", `The body is larger than ${limit} bytes.`, error);
    case 414:
      return refusal("not_found", "There is no such resource: the path is too long.", error);
    case 415:
      return new ApiError("invalid_request", "The request has a wrong content type.", {
        param: "content-type",
        cause: error,
      });
    case 503:
      return new ApiError("unavailable", "The server is overloaded or closing.", {
        retryAfterSeconds: 1,
        cause: error,
      });
    default:
      return status >= 400 && status < 500
        ? refusal("invalid_request", "The request is malformed.", error)
        : undefined;
  }
}

function refusal(code: ErrorCode, message: string, cause: unknown): ApiError {
  return new ApiError(code, message, { cause });
}

function routeRefusal(request: FastifyRequest, routes: RouteMethodTable): ApiError {
  const [path = ""] = request.url.split("?", 1);
  const methods = routes.methodsOf(path);
  if (methods.length === 0 || methods.includes(request.method)) {
    return new ApiError("not_found", "There is no such path.");
  }
  return wrongMethod(methods);
}

/** The 405 of a path that exists and answers to other methods. */
function wrongMethod(methods: readonly string[]): ApiError {
  const allow = methods.join(", ");
  return new ApiError("invalid_request", `This path answers to ${allow} only.`, {
    status: 405,
    headers: { allow },
  });
}

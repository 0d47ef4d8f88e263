import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { serializeOpenAiError } from "../../dialect/nested-error.ts";
import type { CallerKey } from "../../domain/caller-key.ts";
import type { ApiError, ErrorCode } from "../../platform/errors.ts";
import type { LoadAdmissionCheck } from "../../platform/load/load-shedder.ts";
import { toCallFailure, type FailureDocUrlBuilder } from "../call/call-failure.ts";
import { UpstreamFailureError } from "../upstream/upstream-request-error.ts";
import type { CallerKeyAuthenticator } from "../ports.ts";

/** What every route of responses works with. */
export interface ResponsesRouteScopeDependencies {
  readonly load: LoadAdmissionCheck;
  readonly authenticator: CallerKeyAuthenticator;
  readonly docUrl: FailureDocUrlBuilder;
  readonly requestIdOf: (request: FastifyRequest) => string;
  readonly addressOf: (request: FastifyRequest) => string;
  /** Puts the code of a refusal on the request's log line. */
  readonly recordError: (request: FastifyRequest, code: ErrorCode | undefined) => void;
  /** A failure of the database as the refusal that it is. */
  readonly translateError: (error: unknown) => ApiError | undefined;
}

declare module "fastify" {
  interface FastifyRequest {
    /** The key that asks about a response. */
    responseKey: CallerKey;
  }
}

/**
 * Makes the routes of a scope those of the responses dialect: a key that may make model
 * calls comes first, before any body is read, and errors have the dialect's form.
 */
export function configureResponsesRouteScope(
  scope: FastifyInstance,
  dependencies: ResponsesRouteScopeDependencies,
): void {
  const { load, authenticator, requestIdOf, addressOf } = dependencies;
  // The hook below fills it before any handler reads it.
  scope.decorateRequest("responseKey");
  scope.removeAllContentTypeParsers();
  scope.setErrorHandler((error, request, reply) => sendError(dependencies, error, request, reply));
  scope.addHook("onRequest", async (request, reply) => {
    void reply.header("request-id", requestIdOf(request));
    load.assertAccepting();
    request.responseKey = await authenticator.authenticateModelCall(
      request.headers,
      "gateway:invoke",
      ignoreError,
      addressOf(request),
    );
  });
}

/** Only model calls show the bucket of a refused key. */
function ignoreError(): void {}

function sendError(
  { docUrl, requestIdOf, recordError: noteError, translateError }: ResponsesRouteScopeDependencies,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const isUpstreams = error instanceof UpstreamFailureError;
  const failure = isUpstreams ? error.failure : toCallFailure(translateError(error) ?? error);
  noteError(request, failure.catalogueCode);
  if (failure.catalogueCode === "internal_error") request.log.error({ err: error });
  // Fastify closes the connection of a refused body, which HTTP/2 has no header for.
  if (request.raw.httpVersionMajor > 1) reply.removeHeader("connection");
  const { status, retryAfter, headers, catalogueCode } = failure;
  void reply.headers(headers);
  if (retryAfter !== undefined) reply.header("retry-after", retryAfter);
  const described = { ...failure, docUrl: docUrl(catalogueCode), requestId: requestIdOf(request) };
  return reply.code(status).type("application/json").send(serializeOpenAiError(described));
}

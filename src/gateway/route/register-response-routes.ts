import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { JsonObject } from "../../dialect/json.ts";
import { printNestedError } from "../../dialect/nested-error.ts";
import { ApiError, invalidRequest, type ErrorCode } from "../../platform/errors.ts";
import type { LoadGate } from "../../platform/load/load-shedder.ts";
import { failureOf, type DocUrl } from "../call/call-failure.ts";
import type { KeyAuthenticator } from "../ports.ts";
import type { KeptTurns } from "../response/kept-turns.ts";

/** Everything the routes of kept responses work with. */
export interface ResponseRouteDependencies {
  readonly load: LoadGate;
  readonly authenticator: KeyAuthenticator;
  readonly turns: KeptTurns;
  readonly docUrl: DocUrl;
  readonly requestIdOf: (request: FastifyRequest) => string;
  readonly addressOf: (request: FastifyRequest) => string;
  /** Puts the code of a refusal on the request's log line. */
  readonly noteError: (request: FastifyRequest, code: ErrorCode | undefined) => void;
  /** A failure of the database as the refusal that it is. */
  readonly translateError: (error: unknown) => ApiError | undefined;
}

/** What a route does with one kept response of an account. */
type Serve = (accountId: string, id: string, request: FastifyRequest) => Promise<JsonObject>;

/**
 * Mounts getResponse, cancelResponse and deleteResponse (contract section 5). They
 * speak the responses dialect, errors included, so that the official client's
 * `retrieve`, `cancel` and `delete` work.
 */
export function registerResponseRoutes(
  app: FastifyInstance,
  dependencies: ResponseRouteDependencies,
): void {
  const { turns } = dependencies;
  void app.register(async (scope) => {
    // The hook below fills it before any handler reads it.
    scope.decorateRequest("responseAccount");
    scope.removeAllContentTypeParsers();
    // What a client sends along, an empty object as a rule, says nothing.
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, _body, done) => done(null));
    scope.setErrorHandler((error, request, reply) => refuse(dependencies, error, request, reply));
    const mount = (method: "GET" | "POST" | "DELETE", url: string, serve: Serve): void =>
      void scope.route(responseRoute(dependencies, method, url, serve));
    mount("GET", "/v1/responses/:id", async (accountId, id, request) => {
      refuseReplay(request.query);
      return found(await turns.find(accountId, id), id);
    });
    // A kept response has ended: there is nothing to cancel, and it is as it was.
    mount("POST", "/v1/responses/:id/cancel", async (accountId, id) =>
      found(await turns.find(accountId, id), id),
    );
    mount("DELETE", "/v1/responses/:id", async (accountId, id) => {
      if (!(await turns.delete(accountId, id))) throw unknownResponse(id);
      return { id, object: "response", deleted: true };
    });
  });
}

function responseRoute(
  { load, authenticator, requestIdOf, addressOf }: ResponseRouteDependencies,
  method: "GET" | "POST" | "DELETE",
  url: string,
  serve: Serve,
) {
  return {
    method,
    url,
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
      void reply.header("request-id", requestIdOf(request));
      load.assertTaking();
      const key = await authenticator.authenticateModelCall(
        request.headers,
        "gateway:invoke",
        unheard,
        addressOf(request),
      );
      request.responseAccount = key.principal.accountId;
    },
    handler: async (request: FastifyRequest) => {
      const { id } = request.params as { id: string };
      return serve(request.responseAccount, id, request);
    },
  };
}

declare module "fastify" {
  interface FastifyRequest {
    /** Account of the key that asks for a kept response. */
    responseAccount: string;
  }
}

/** Only model calls show the bucket of a refused key. */
function unheard(): void {}

function found(response: JsonObject | undefined, id: string): JsonObject {
  if (response === undefined) throw unknownResponse(id);
  return response;
}

function unknownResponse(id: string): ApiError {
  return new ApiError("not_found", `There is no kept response \`${id.slice(0, 80)}\`.`);
}

function refuseReplay(query: unknown): void {
  const { stream } = query as { stream?: string };
  if (stream === undefined || stream === "false") return;
  if (stream === "true") {
    throw invalidRequest("stream", "A kept response is not streamed again; leave `stream` out.");
  }
  throw invalidRequest("stream", "`stream` must be `true` or `false`.");
}

function refuse(
  { docUrl, requestIdOf, noteError, translateError }: ResponseRouteDependencies,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const failure = failureOf(translateError(error) ?? error);
  noteError(request, failure.catalogueCode);
  if (failure.catalogueCode === "internal_error") request.log.error({ err: error });
  const { status, retryAfter, headers, catalogueCode } = failure;
  for (let at = 0; at < headers.length; at += 2) reply.header(headers[at] ?? "", headers[at + 1]);
  if (retryAfter !== undefined) reply.header("retry-after", retryAfter);
  const described = { ...failure, docUrl: docUrl(catalogueCode), requestId: requestIdOf(request) };
  return reply.code(status).type("application/json").send(printNestedError(described));
}

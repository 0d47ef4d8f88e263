import { Code, ConnectError, type ConnectRouter } from "@connectrpc/connect";
import {
  createAsyncIterable,
  encodeEnvelope,
  readAllBytes,
  type UniversalHandlerFn,
  type UniversalServerRequest,
  type UniversalServerResponse,
} from "@connectrpc/connect/protocol";
import {
  codeToHttpStatus,
  errorFromJsonBytes,
  errorToJsonBytes,
} from "@connectrpc/connect/protocol-connect";
import { findTrailerError, setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import { trailerFlag, trailerParse, trailerSerialize } from "@connectrpc/connect/protocol-grpc-web";
import { httpRequestScopeKey } from "../request-scope.ts";
import type { ErrorDocUrlBuilder } from "../rest/error-body.ts";
import {
  toConnectErrorInfo,
  remapUnreadableMessageCode,
  toKnownApiError,
} from "./connect-error.ts";
import { toInternalError } from "./errors.ts";
import type { MaybePromise } from "../../platform/maybe-promise.ts";

/** The same error with an `ErrorInfo` detail; undefined when it has one. */
type Describe = (error: ConnectError) => ConnectError | undefined;

/**
 * Adds the `ErrorInfo` detail to the errors that the library answers before any
 * interceptor runs: messages that it cannot read or that are too large, unknown
 * compressions, bad timeouts. The functions used here are exported by the library
 * but not covered by its versioning; a test holds each protocol to the result.
 */
export function wrapHandlersWithErrorDetails(
  router: ConnectRouter,
  docUrl: ErrorDocUrlBuilder,
): void {
  for (const [index, handler] of router.handlers.entries()) {
    const describing = async (request: UniversalServerRequest) => {
      return describeResponse(await answer(handler, request), describerOf(request, docUrl));
    };
    router.handlers[index] = Object.assign(describing, handler);
  }
}

/**
 * gRPC's messages are percent-encoded, which half a surrogate pair cannot be: the
 * library quotes it from the request, throws, and would answer nothing at all.
 */
async function answer(
  handler: UniversalHandlerFn,
  request: UniversalServerRequest,
): Promise<UniversalServerResponse> {
  try {
    return await handler(request);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return handler({ ...request, body: halfPair() });
  }
}

// oxlint-disable-next-line require-yield
async function* halfPair(): AsyncIterable<Uint8Array> {
  throw new ConnectError("The message has half a surrogate pair.", Code.InvalidArgument);
}

function describerOf(
  { contextValues }: UniversalServerRequest,
  docUrl: ErrorDocUrlBuilder,
): Describe {
  const scope = contextValues?.get(httpRequestScopeKey);
  return (error) => {
    if (error.details.length > 0) return undefined;
    const refusal = toKnownApiError(error) ?? toInternalError(error);
    if (scope !== undefined) scope.errorCode = refusal.code;
    const detail = toConnectErrorInfo(refusal, scope?.requestId ?? "", docUrl);
    return new ConnectError(error.rawMessage, remapUnreadableMessageCode(error), undefined, [
      detail,
    ]);
  };
}

function describeResponse(
  response: UniversalServerResponse,
  describe: Describe,
): MaybePromise<UniversalServerResponse> {
  const contentType = response.header?.get("content-type") ?? "";
  if (response.body === undefined) return response;
  if (contentType.startsWith("application/grpc-web")) {
    return { ...response, body: describeWebTrailers(response.body, describe) };
  }
  if (contentType.startsWith("application/grpc")) {
    return { ...response, body: describeTrailers(response.body, response.trailer, describe) };
  }
  return response.status === 200 ? response : describeJson(response, response.body, describe);
}

/** Connect: the body is the error. */
async function describeJson(
  response: UniversalServerResponse,
  body: AsyncIterable<Uint8Array>,
  describe: Describe,
): Promise<UniversalServerResponse> {
  const bytes = await readAllBytes(body, Number.MAX_SAFE_INTEGER);
  const error = errorFromJsonBytes(bytes, undefined, new ConnectError("", Code.Internal));
  const described = describe(error);
  if (described === undefined) return { ...response, body: createAsyncIterable([bytes]) };
  const printed = errorToJsonBytes(described, undefined);
  response.header?.set("content-length", printed.byteLength.toString());
  const status = codeToHttpStatus(described.code);
  return { ...response, status, body: createAsyncIterable([printed]) };
}

/** gRPC: the status is in the trailers, which are complete once the body has ended. */
async function* describeTrailers(
  body: AsyncIterable<Uint8Array>,
  trailer: Headers | undefined,
  describe: Describe,
): AsyncIterable<Uint8Array> {
  yield* body;
  if (trailer !== undefined) describeStatus(trailer, describe);
}

/** gRPC-web: the trailers are the last envelope of the body. */
async function* describeWebTrailers(
  body: AsyncIterable<Uint8Array>,
  describe: Describe,
): AsyncIterable<Uint8Array> {
  for await (const chunk of body) {
    yield chunk[0] === trailerFlag ? describeEnvelope(chunk, describe) : chunk;
  }
}

function describeEnvelope(envelope: Uint8Array, describe: Describe): Uint8Array {
  const trailer = trailerParse(envelope.subarray(envelopeHeaderBytes));
  return describeStatus(trailer, describe)
    ? encodeEnvelope(trailerFlag, trailerSerialize(trailer))
    : envelope;
}

/** One byte of flags and four of length. */
const envelopeHeaderBytes = 5;

function describeStatus(trailer: Headers, describe: Describe): boolean {
  const error = findTrailerError(trailer);
  const described = error && describe(error);
  if (described !== undefined) setTrailerStatus(trailer, described);
  return described !== undefined;
}

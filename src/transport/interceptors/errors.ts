import {
  Code,
  ConnectError,
  type ContextValues,
  type Interceptor,
  type StreamRequest,
} from "@connectrpc/connect";
import { ApiError } from "../../platform/errors.ts";
import type { ErrorDocUrlBuilder } from "../rest/error-body.ts";
import { httpRequestScopeKey } from "../request-scope.ts";
import { apiErrorToConnectError, toKnownApiError } from "./connect-error.ts";

/** Recognises errors of a library that mean a refusal, an unreachable database for instance. */
export type ThirdPartyErrorTranslator = (error: unknown) => ApiError | undefined;

export interface ConnectErrorTranslatorDependencies {
  readonly docUrl: ErrorDocUrlBuilder;
  readonly translate: ThirdPartyErrorTranslator;
}

/** Turns whatever a call threw into the one error that transports print. */
export type ToConnectErrorTranslator = (error: unknown, values: ContextValues) => ConnectError;

/**
 * The one converter of errors. A refusal keeps its code and message; anything
 * else is `internal_error` without a word of the original, which is logged under
 * the request's id.
 */
export function createToConnectErrorTranslator({
  docUrl,
  translate,
}: ConnectErrorTranslatorDependencies): ToConnectErrorTranslator {
  return (error, values) => {
    if (isCanceled(error)) return error;
    const scope = values.get(httpRequestScopeKey);
    const refusal = toKnownApiError(error) ?? translate(error) ?? toInternalError(error);
    if (scope !== undefined) scope.errorCode = refusal.code;
    const isNews = refusal.status >= 500 && !refusal.isLogged;
    if (isNews) scope?.log.error({ err: refusal.cause ?? refusal }, refusal.message);
    return apiErrorToConnectError(refusal, scope?.requestId ?? "", docUrl);
  };
}

/** Nobody is left to read it, so it is no refusal and no failure; the library says "aborted" of a reset socket. */
function isCanceled(error: unknown): error is ConnectError {
  if (!(error instanceof ConnectError)) return false;
  return error.code === Code.Canceled || error.code === Code.Aborted;
}

/** The refusal of a failure of our own. */
export function toInternalError(cause: unknown): ApiError {
  return new ApiError(
    "internal_error",
    "The server failed. Report the request id to the operator.",
    {
      cause,
    },
  );
}

/** Outermost of the interceptors: no other error than a refusal leaves a call. */
export function createErrorsInterceptor(translate: ToConnectErrorTranslator): Interceptor {
  return (next) => async (request) => {
    try {
      const response = await next(request.stream ? withReceived(request) : request);
      if (!response.stream) return response;
      return {
        ...response,
        message: translateErrors(response.message, request.contextValues, translate),
      };
    } catch (error) {
      throw translate(abortOr(error, request.signal), request.contextValues);
    }
  };
}

/** An aborted call fails in whatever way its handler notices; what counts is why it was aborted. */
function abortOr(error: unknown, signal: AbortSignal): unknown {
  const isAbort = error instanceof Error && error.name === "AbortError";
  return signal.aborted && isAbort ? ConnectError.from(signal.reason) : error;
}

async function* translateErrors<Item>(
  items: AsyncIterable<Item>,
  values: ContextValues,
  translate: ToConnectErrorTranslator,
): AsyncIterable<Item> {
  try {
    for await (const item of items) yield* forwardErrors(item);
  } catch (error) {
    throw translate(error, values);
  }
}

/** The library throws into the answer what its socket does: nobody takes it any more. */
async function* forwardErrors<Item>(item: Item): AsyncIterable<Item> {
  try {
    yield item;
  } catch (error) {
    throw callerDisconnected(error);
  }
}

function withReceived(request: StreamRequest): StreamRequest {
  return { ...request, message: receive(request.message) };
}

/** What cannot be read is refused with an error of the library; any other is the socket's. */
async function* receive<Item>(items: AsyncIterable<Item>): AsyncIterable<Item> {
  try {
    yield* items;
  } catch (error) {
    throw error instanceof ConnectError ? error : callerDisconnected(error);
  }
}

/** A socket that its caller has closed fails like that of a database which is away. */
function callerDisconnected(cause: unknown): ConnectError {
  return new ConnectError("the caller has left", Code.Canceled, undefined, undefined, cause);
}

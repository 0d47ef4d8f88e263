import { Code, ConnectError } from "@connectrpc/connect";
import { ApiError, type ErrorCode } from "../../platform/errors.ts";
import { ErrorInfoSchema } from "../../../gen/ts/causeway/error/v1/error_pb.ts";
import { buildErrorHeaders, type ErrorDocUrlBuilder } from "../rest/error-body.ts";

/** The Connect and gRPC code of a refusal's HTTP status. */
function connectCode(status: number): Code {
  switch (status) {
    case 401:
      return Code.Unauthenticated;
    case 402:
    case 413:
    case 429:
      return Code.ResourceExhausted;
    case 403:
      return Code.PermissionDenied;
    case 404:
      return Code.NotFound;
    case 408:
      return Code.DeadlineExceeded;
    case 409:
      return Code.FailedPrecondition;
    case 502:
    case 503:
      return Code.Unavailable;
    case 504:
      return Code.DeadlineExceeded;
    default:
      return status < 500 ? Code.InvalidArgument : Code.Internal;
  }
}

/**
 * A refusal as Connect, gRPC and gRPC-web carry it: the code, an `ErrorInfo`
 * detail, and the refusal itself as `cause`, from which the REST transport
 * prints it.
 */
export function apiErrorToConnectError(
  error: ApiError,
  requestId: string,
  docUrl: ErrorDocUrlBuilder,
): ConnectError {
  const code = connectCode(error.status);
  const details = [toConnectErrorInfo(error, requestId, docUrl)];
  // What it quotes may hold half a surrogate pair, which no protocol can carry.
  return new ConnectError(
    error.message.toWellFormed(),
    code,
    buildErrorHeaders(error),
    details,
    error,
  );
}

/** The detail that says of a refusal what the REST body says. */
export function toConnectErrorInfo(error: ApiError, requestId: string, docUrl: ErrorDocUrlBuilder) {
  const value = {
    code: error.code,
    message: error.message,
    param: error.param ?? "",
    docUrl: docUrl(error.code),
    requestId,
    byoUrl: error.byoUrl ?? "",
    retryAfterSeconds: error.retryAfterSeconds ?? 0,
    suggestions: [...(error.suggestions ?? [])],
  };
  return { desc: ErrorInfoSchema, value };
}

/**
 * The refusal that an error means: itself, the one that a Connect error wraps,
 * or the one its code stands for. Undefined for an error that nobody foresaw.
 */
export function toKnownApiError(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error;
  if (!(error instanceof ConnectError)) return undefined;
  if (error.cause instanceof ApiError) return error.cause;
  const code = catalogCode(remapUnreadableMessageCode(error));
  return code === undefined ? undefined : new ApiError(code, error.rawMessage, { cause: error });
}

/** What the library says of requests that it cannot read, and calls a failure of the server. */
const unreadable =
  /^(?:parse binary: |received compressed envelope, but do not know|decompression failed)/;

/** The code of an error, but for messages that the caller has broken. */
export function remapUnreadableMessageCode({ code, rawMessage }: ConnectError): Code {
  return code === Code.Internal && unreadable.test(rawMessage) ? Code.InvalidArgument : code;
}

/** What the protocol machinery itself refuses: messages it cannot read, limits, deadlines. */
function catalogCode(code: Code): ErrorCode | undefined {
  switch (code) {
    case Code.InvalidArgument:
    case Code.OutOfRange:
    case Code.Canceled:
      return "invalid_request";
    case Code.Unauthenticated:
      return "unauthorized";
    case Code.PermissionDenied:
      return "insufficient_scope";
    case Code.NotFound:
    case Code.Unimplemented:
      return "not_found";
    case Code.ResourceExhausted:
      return "request_too_large";
    case Code.DeadlineExceeded:
      return "upstream_timeout";
    case Code.Unavailable:
      return "unavailable";
    default:
      return undefined;
  }
}

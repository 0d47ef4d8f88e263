import type { CallerFacingError } from "./dialect-error.ts";
import type { JsonObject } from "./json.ts";

const typeOfStatus: Readonly<Record<number, string>> = {
  401: "authentication_error",
  402: "insufficient_quota",
  403: "permission_error",
  429: "rate_limit_error",
};

/** The error type of chat and responses for a status. */
function nestedErrorType(status: number): string {
  return typeOfStatus[status] ?? (status >= 500 ? "server_error" : "invalid_request_error");
}

/** The code in an error of chat and responses. */
export function toOpenAiErrorCode(error: CallerFacingError): string | null {
  return error.vendorCode ?? error.code;
}

/** What the error of a stream holds inside `error`, in chat and responses. */
export function buildStreamErrorObject(error: CallerFacingError): JsonObject {
  return {
    message: error.message,
    type: error.type ?? nestedErrorType(error.status),
    param: error.param,
    code: toOpenAiErrorCode(error),
    request_id: error.requestId,
  };
}

/**
 * The error body that chat and responses share. Everything stands inside
 * `error`, where the official client looks.
 */
export function serializeOpenAiError(error: CallerFacingError): string {
  return JSON.stringify({
    error: {
      message: error.message,
      type: error.type ?? nestedErrorType(error.status),
      param: error.param,
      code: toOpenAiErrorCode(error),
      byo_url: error.byoUrl,
      doc_url: error.docUrl,
      request_id: error.requestId,
    },
  });
}

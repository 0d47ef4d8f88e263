import { serializeSseEvent } from "../../platform/sse/serialize-event.ts";
import { asString } from "../json.ts";
import type { CallerFacingError } from "../dialect-error.ts";

const typeOfStatus: Readonly<Record<number, string>> = {
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  408: "timeout_error",
  409: "conflict_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

/** The error type of messages for a status. */
export function toMessagesErrorType(status: number): string {
  return typeOfStatus[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
}

/** The error body of messages; its client reads the code from `details.error_code`. */
export function serializeMessagesError(error: CallerFacingError): string {
  return JSON.stringify(errorObject(error));
}

/** The error event of a messages stream. Without its `event` line the client would not see it. */
export function serializeMessagesStreamError(error: CallerFacingError): string {
  return serializeSseEvent(errorObject(error), "error");
}

/** The code in an error of messages. */
export function selectMessagesErrorCodeField({
  code,
  vendorDetails,
}: CallerFacingError): string | null {
  return asString(vendorDetails?.["error_code"]) ?? code;
}

/** Types are a closed list here, so that an upstream's own is not passed on. */
function errorObject(error: CallerFacingError) {
  return {
    type: "error",
    error: {
      type: toMessagesErrorType(error.status),
      message: error.message,
      details: {
        error_code: error.code,
        param: error.param,
        byo_url: error.byoUrl,
        doc_url: error.docUrl,
        ...error.vendorDetails,
      },
    },
    request_id: error.requestId,
  };
}

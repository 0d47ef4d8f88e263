import { bearerChallengeHeaders, type ApiError, type ErrorCode } from "../../platform/errors.ts";

/** Address of the page that explains a code; called late, when the public address is known. */
export type ErrorDocUrlBuilder = (code: ErrorCode) => string;

/** The flat error body. */
export interface RestErrorBody {
  readonly error: ErrorCode;
  readonly message: string;
  readonly param?: string;
  readonly doc_url: string;
  readonly request_id: string;
  readonly byo_url?: string;
  readonly suggestions?: readonly string[];
}

/** Renders refusals as the flat error body; members that say nothing are left out. */
export function createRestErrorRenderer(
  docUrl: ErrorDocUrlBuilder,
): (error: ApiError, requestId: string) => RestErrorBody {
  return (error, requestId) => ({
    error: error.code,
    message: error.message,
    ...(error.param !== undefined && { param: error.param }),
    doc_url: docUrl(error.code),
    request_id: requestId,
    ...(error.byoUrl !== undefined && { byo_url: error.byoUrl }),
    ...(error.suggestions !== undefined && { suggestions: error.suggestions }),
  });
}

/** The response headers of a refusal, beside `x-request-id`. */
export function buildErrorHeaders(error: ApiError): Record<string, string> {
  return {
    ...error.headers,
    ...(error.retryAfterSeconds !== undefined && {
      "retry-after": error.retryAfterSeconds.toString(),
    }),
    ...(error.status === 401 && bearerChallengeHeaders),
    // Client libraries repeat a 409 by themselves unless they are told not to.
    ...(error.status === 409 && { "x-should-retry": "false" }),
  };
}

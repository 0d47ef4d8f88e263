import type { CallerFacingError } from "../../dialect/dialect-error.ts";
import { ApiError, bearerChallengeHeaders, type ErrorCode } from "../../platform/errors.ts";

/** Why a call ends without the answer it asked for, in no dialect yet. */
export interface CallFailure extends Omit<CallerFacingError, "docUrl" | "requestId"> {
  /** Code of the catalogue; undefined for an error that is the upstream's own. */
  readonly catalogueCode: ErrorCode | undefined;
  /** Passed to the caller as `retry-after`; undefined: none. */
  readonly retryAfter: string | undefined;
  /** Further headers, by name. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Address of the page that explains a code, or of its index for an error that is not ours. */
export type FailureDocUrlBuilder = (code: ErrorCode | undefined) => string;

/** The failure that a refusal of ours is; anything else that was thrown is an `internal_error`. */
export function toCallFailure(error: unknown): CallFailure {
  const refusal = error instanceof ApiError ? error : internalError(error);
  return {
    status: refusal.status,
    code: refusal.code,
    catalogueCode: refusal.code,
    message: refusal.message,
    type: undefined,
    param: refusal.param ?? null,
    byoUrl: refusal.byoUrl,
    vendorDetails: refusal.vendorDetails,
    vendorCode: refusal.vendorCode,
    retryAfter: refusal.retryAfterSeconds?.toString(),
    headers: {
      ...refusal.headers,
      ...(refusal.status === 401 && bearerChallengeHeaders),
      ...buildNoRetryHeaders(refusal.status),
    },
  };
}

/** A failure by a code of the catalogue. */
export function createCallFailure(
  code: ErrorCode,
  message: string,
  retryAfterSeconds?: number,
): CallFailure {
  return toCallFailure(new ApiError(code, message, { retryAfterSeconds }));
}

/** Client libraries repeat a 409 by themselves unless they are told not to. */
export function buildNoRetryHeaders(status: number): Readonly<Record<string, string>> {
  return status === 409 ? { "x-should-retry": "false" } : {};
}

function internalError(cause: unknown): ApiError {
  return new ApiError("internal_error", "The server failed; report the `request_id`.", { cause });
}

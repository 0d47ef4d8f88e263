import type { DialectErrorCode } from "../platform/errors.ts";

/** A refusal or a failure, ready to be put into the words of a dialect. */
export interface CallerFacingError {
  /** HTTP status; in a stream that has begun, the one it would have been. */
  readonly status: number;
  /** Code of the error catalogue, or the upstream's own when it is an upstream's error. */
  readonly code: string | null;
  readonly message: string;
  /** The upstream's own error type; undefined: the dialect's word for the status. */
  readonly type: string | undefined;
  readonly param: string | null;
  /** Where to add budget; only on `byo_url`. */
  readonly byoUrl: string | undefined;
  /** What the official client of messages acts on, in `error.details`. */
  readonly vendorDetails?: Readonly<Record<string, unknown>> | undefined;
  /** What clients of chat and responses act on, in place of `code`. */
  readonly vendorCode?: DialectErrorCode | undefined;
  readonly docUrl: string;
  readonly requestId: string;
}

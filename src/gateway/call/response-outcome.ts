import type { ConversionWarning } from "../../dialect/conversion-warning.ts";
import type { TokenUsage } from "../../dialect/usage.ts";
import type { ResponseUsageMeter } from "./usage-meter.ts";

/** What became of an answer; of one that is on its way, what has become of it so far. */
export interface CallerResponseOutcome {
  /** HTTP status; 499: the caller hung up. */
  readonly status: number;
  /** Of the body. */
  readonly bytes: number;
  /** The caller left before it had everything. */
  readonly isAborted: boolean;
  /** The caller had everything, and nothing went wrong. */
  readonly isComplete: boolean;
  /** An answer, or a part of one, has reached the caller; an error is none. */
  readonly hasBody: boolean;
  /** Code of a refusal or failure, the event of a stream that failed included. */
  readonly errorCode: string | undefined;
  /** The code that the caller read: it may be one of the dialect. */
  readonly shownErrorCode: string | undefined;
  /** The upstream's own count, as far as it is known. */
  readonly usage: TokenUsage | undefined;
  readonly meter: ResponseUsageMeter | undefined;
  /** Id of a response that its upstream keeps. */
  readonly responseId: string | undefined;
  /** What transcoding lost on the way. */
  readonly warnings: readonly ConversionWarning[];
}

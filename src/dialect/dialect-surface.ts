import type { DialectId } from "../platform/configuration/configuration.ts";
import type { RateLimitBucketState } from "../platform/rate-limit/request-buckets.ts";
import type { StreamLineClassifier } from "../platform/sse/frame-tracker.ts";
import type { CallerFacingError } from "./dialect-error.ts";

/** How a whole stream ended. */
export interface SeenStreamTerminators {
  /** `readLine` saw the end. */
  readonly sawEnd: boolean;
  /** The last event was not closed by a blank line. */
  readonly lacksBlankLine: boolean;
}

/**
 * What can be said to a caller of a dialect, and seen in its streams, without
 * decoding any message: errors, keep-alives, limits, and where a stream ends.
 */
export interface DialectOperation {
  readonly dialect: DialectId;
  readonly operation:
    | "createChatCompletion"
    | "createResponse"
    | "compactResponse"
    | "createMessage"
    | "createEmbedding";
  /** Below `/v1` here, and below the base address of an upstream. */
  readonly path:
    | "/chat/completions"
    | "/responses"
    | "/responses/compact"
    | "/messages"
    | "/embeddings";
  /**
   * A model is talked to: the answer may be streamed, the call transcoded, or taken by an
   * agent. False: it is passed through alone, and has one body for an answer and no output.
   */
  readonly isConversation: boolean;
  /** The code that the caller reads in an error: the dialect's own, else the catalog's. */
  shownErrorCode(error: CallerFacingError): string | null;
  /** JSON text of an error answer. */
  serializeError(error: CallerFacingError): string;
  /**
   * The error event of a stream that has begun, blank line included. `sent` is
   * the end of what the caller has, for dialects that number their events.
   */
  serializeStreamError(error: CallerFacingError, sent: string): string;
  /** What keeps a silent stream alive, between two frames. */
  readonly keepAlive: string;
  /** Tells the line that ends a stream, and errors. */
  readonly readLine: StreamLineClassifier;
  /** Whether a stream that ends with these bytes is whole although `readLine` saw no end. */
  isComplete(tail: string): boolean;
  /** What a whole stream lacks that the dialect's client needs; empty as a rule. */
  closingFrames(end: SeenStreamTerminators): string;
  /** Request-limit headers by the vendor's names: names and values in turn. */
  rateLimitHeaders(reading: RateLimitBucketState, now: number): readonly string[];
}

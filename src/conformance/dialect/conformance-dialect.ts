import type { SseEvent } from "../../platform/sse/stream-event.ts";
import type { ConformanceCaseRequest, ConformanceDialectName } from "../case-request.ts";
import type { DialectStreamViolation } from "../grammar/grammar-violation.ts";
import type { JsonObject } from "../../platform/json-value.ts";
import type { ConformanceResponse } from "../parsed-response.ts";

/** Where an answer is not what its dialect says: one sentence each. */
export type DialectConformanceViolations = readonly string[];

/** One dialect as its callers know it: how to ask, and what an answer must be. */
export interface ConformanceDialect {
  readonly name: ConformanceDialectName;
  /** Behind the base address. */
  readonly path: string;
  /** The official client takes the last event although no blank line closes it. */
  readonly flushesAtEnd: boolean;
  /** The header that names the call in an answer. */
  readonly requestIdHeader: string;
  /** What the vendor's names for a caller's credential are: header and value for a key. */
  readonly credentials: (key: string) => Readonly<Record<string, string>>;
  readonly request: (ask: ConformanceCaseRequest, model: string) => JsonObject;
  readonly checkWhole: (body: JsonObject) => DialectConformanceViolations;
  readonly checkStream: (events: readonly SseEvent[]) => readonly DialectStreamViolation[];
  /**
   * The whole answer that the official client's streaming helper makes of a
   * stream. Throws `Unreadable` where the helper throws.
   */
  readonly accumulate: (events: readonly SseEvent[]) => JsonObject;
  readonly read: (body: JsonObject) => ConformanceResponse;
  readonly checkError: (body: unknown) => DialectConformanceViolations;
}

/** The official client would throw on this stream. */
export class ConformanceStreamError extends Error {
  override readonly name = "Unreadable";
}

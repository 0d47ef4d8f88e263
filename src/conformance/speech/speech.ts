import type { StreamEvent } from "../../platform/sse/stream-event.ts";
import type { CaseAsk, DialectName } from "../ask.ts";
import type { GrammarFault } from "../grammar/grammar-fault.ts";
import type { JsonObject } from "../../platform/json-value.ts";
import type { Reading } from "../reading.ts";

/** Where an answer is not what its dialect says: one sentence each. */
export type ShapeFaults = readonly string[];

/** One dialect as its callers know it: how to ask, and what an answer must be. */
export interface Speech {
  readonly name: DialectName;
  /** Behind the base address. */
  readonly path: string;
  /** The official client takes the last event although no blank line closes it. */
  readonly flushesAtEnd: boolean;
  /** The header that names the call in an answer. */
  readonly requestIdHeader: string;
  /** What the vendor's names for a caller's credential are: header and value for a key. */
  readonly credentials: (key: string) => Readonly<Record<string, string>>;
  readonly request: (ask: CaseAsk, model: string) => JsonObject;
  readonly checkWhole: (body: JsonObject) => ShapeFaults;
  readonly checkStream: (events: readonly StreamEvent[]) => readonly GrammarFault[];
  /**
   * The whole answer that the official client's streaming helper makes of a
   * stream. Throws `Unreadable` where the helper throws.
   */
  readonly accumulate: (events: readonly StreamEvent[]) => JsonObject;
  readonly read: (body: JsonObject) => Reading;
  readonly checkError: (body: unknown) => ShapeFaults;
}

/** The official client would throw on this stream. */
export class Unreadable extends Error {
  override readonly name = "Unreadable";
}

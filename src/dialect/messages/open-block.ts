import type { BufferedValueCounter } from "../codec.ts";
import type { JsonObject } from "../json.ts";
import type { NeutralPartDelta, NeutralEvent } from "../neutral-event.ts";

/** A content block that has started and not ended. */
export interface MessagesStreamingContentBlock {
  /** Number of the neutral part; undefined: a block that no other dialect has. */
  readonly part: number | undefined;
  readonly block: JsonObject;
  /** Text, thinking or JSON as far as it came. */
  text: string;
  hasDelta: boolean;
  signature: string | undefined;
  readonly citations: JsonObject[];
}

/** What the steps of a block write to. */
export interface MessagesContentBlockDecoderState {
  parts: number;
  readonly open: Map<number, MessagesStreamingContentBlock>;
  /** Blocks that have ended: a paused answer sends them back. */
  readonly closed: MessagesStreamingContentBlock[];
  /** A whole answer has none. */
  readonly countKept: BufferedValueCounter | undefined;
  hasCalls: boolean;
}

/** The event of a delta; none for a block that no other dialect has. */
export function toMessagesNeutralDeltaEvents(
  { part }: MessagesStreamingContentBlock,
  delta: NeutralPartDelta,
): readonly NeutralEvent[] {
  return part === undefined ? [] : [{ type: "part-delta", index: part, delta }];
}

import { serializeSseEvent } from "../../platform/sse/serialize-event.ts";
import type { MessagesWireObject } from "./wire.ts";
import type { NeutralPartDelta } from "../neutral-event.ts";

/** Writes the frames of one block. */
export interface MessagesContentBlockWriter {
  start(): string;
  delta(delta: NeutralPartDelta): string;
  end(): string;
  /** A block was written; a part that says nothing gives none. */
  isOpen(): boolean;
}

/** The start of a content block. */
export function serializeMessagesContentBlockStart(
  index: number,
  block: MessagesWireObject,
): string {
  const type = "content_block_start";
  return serializeSseEvent({ type, index, content_block: block }, type);
}

/** A piece of a block, written as text: there is one for every token. */
export function serializeMessagesContentBlockDelta(
  index: number,
  type: string,
  member: string,
  value: string,
): string {
  return `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":{"type":"${type}","${member}":${JSON.stringify(value)}}}\n\n`;
}

/** A source of the text before it. */
export function serializeMessagesCitationDelta(
  index: number,
  citation: MessagesWireObject,
): string {
  const type = "content_block_delta";
  return serializeSseEvent({ type, index, delta: { type: "citations_delta", citation } }, type);
}

/** The end of a block. */
export function serializeMessagesContentBlockStop(index: number): string {
  return serializeSseEvent({ type: "content_block_stop", index }, "content_block_stop");
}

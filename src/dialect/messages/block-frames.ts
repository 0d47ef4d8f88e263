import { serializeSseEvent } from "../../platform/sse/serialize-event.ts";
import type { WireObject } from "./wire.ts";
import type { PartDelta } from "../neutral-event.ts";

/** Writes the frames of one block. */
export interface BlockWriter {
  start(): string;
  delta(delta: PartDelta): string;
  end(): string;
  /** A block was written; a part that says nothing gives none. */
  isOpen(): boolean;
}

/** The start of a content block. */
export function serializeBlockStart(index: number, block: WireObject): string {
  const type = "content_block_start";
  return serializeSseEvent({ type, index, content_block: block }, type);
}

/** A piece of a block, written as text: there is one for every token. */
export function serializeBlockDelta(
  index: number,
  type: string,
  member: string,
  value: string,
): string {
  return `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":{"type":"${type}","${member}":${JSON.stringify(value)}}}\n\n`;
}

/** A source of the text before it. */
export function serializeCitationDelta(index: number, citation: WireObject): string {
  const type = "content_block_delta";
  return serializeSseEvent({ type, index, delta: { type: "citations_delta", citation } }, type);
}

/** The end of a block. */
export function serializeBlockStop(index: number): string {
  return serializeSseEvent({ type: "content_block_stop", index }, "content_block_stop");
}

import { MalformedResponseError } from "../codec.ts";
import { asArrayOrEmpty, asObject, asString, type JsonObject } from "../json.ts";
import type { NeutralPartHead, NeutralEvent } from "../neutral-event.ts";
import { buildMessagesContentBlockEndDeltas } from "./last-deltas.ts";
import {
  type MessagesContentBlockDecoderState,
  toMessagesNeutralDeltaEvents,
  type MessagesStreamingContentBlock,
} from "./open-block.ts";

/** A block begins; some servers put its whole content into the beginning. */
export function decodeMessagesContentBlockStart(
  state: MessagesContentBlockDecoderState,
  index: number,
  block: JsonObject,
): readonly NeutralEvent[] {
  const head = headOf(block);
  const part = head === undefined ? undefined : state.parts++;
  const open = { part, block, text: "", hasDelta: false, signature: undefined, citations: [] };
  state.open.set(index, open);
  // The meter counts the texts of a part in its events.
  state.countKept?.(head === undefined ? block : { ...block, text: "", thinking: "" });
  if (head === undefined || part === undefined) return [];
  if (head.type === "tool-call") state.hasCalls = true;
  const start: NeutralEvent = { type: "part-start", index: part, part: head };
  const said = textAtStart(open, block);
  return said.length === 0 ? [start] : [start, ...said];
}

function headOf(block: JsonObject): NeutralPartHead | undefined {
  switch (block["type"]) {
    case "text":
      return { type: "text" };
    case "thinking":
    case "redacted_thinking":
      return { type: "reasoning" };
    case "tool_use":
      return {
        type: "tool-call",
        kind: "function",
        id: asString(block["id"]) ?? "",
        name: calledName(block),
      };
    default:
      return undefined;
  }
}

/** A call of nothing could not be answered. */
function calledName({ name }: JsonObject): string {
  if (typeof name !== "string" || name === "")
    throw new MalformedResponseError("sent a call without a name");
  return name;
}

function textAtStart(
  open: MessagesStreamingContentBlock,
  block: JsonObject,
): readonly NeutralEvent[] {
  open.signature = asString(block["signature"]);
  for (const one of asArrayOrEmpty(block["citations"])) open.citations.push(asObject(one) ?? {});
  const text = asString(block["text"]) ?? asString(block["thinking"]) ?? "";
  return textDelta(open, text);
}

function textDelta(open: MessagesStreamingContentBlock, text: string): readonly NeutralEvent[] {
  open.text += text;
  return text === "" ? [] : toMessagesNeutralDeltaEvents(open, { type: "text", text });
}

/** Deltas of other kinds than their block's, and kinds newer than this code, tell nothing. */
export function decodeMessagesContentBlockDelta(
  state: MessagesContentBlockDecoderState,
  index: number,
  delta: JsonObject,
): readonly NeutralEvent[] {
  const open = openBlock(state, index);
  const events = readBlockDelta(open, delta);
  if (events.length === 0) state.countKept?.(delta);
  return events;
}

function readBlockDelta(
  open: MessagesStreamingContentBlock,
  delta: JsonObject,
): readonly NeutralEvent[] {
  switch (delta["type"]) {
    case "text_delta":
      return textDelta(open, asString(delta["text"]) ?? "");
    case "thinking_delta":
      return textDelta(open, asString(delta["thinking"]) ?? "");
    case "input_json_delta":
      return argumentsDelta(open, asString(delta["partial_json"]) ?? "");
    case "signature_delta":
      open.signature = asString(delta["signature"]);
      return [];
    case "citations_delta":
      open.citations.push(asObject(delta["citation"]) ?? {});
      return [];
    default:
      return [];
  }
}

function openBlock(
  state: MessagesContentBlockDecoderState,
  index: number,
): MessagesStreamingContentBlock {
  const open = state.open.get(index);
  if (open === undefined)
    throw new MalformedResponseError("sent a piece of a content block that is not open");
  return open;
}

function argumentsDelta(
  open: MessagesStreamingContentBlock,
  text: string,
): readonly NeutralEvent[] {
  if (text === "") return [];
  open.hasDelta = true;
  open.text += text;
  return toMessagesNeutralDeltaEvents(open, { type: "arguments", text });
}

/** A block ends: what is known only now goes before its end. */
export function decodeMessagesContentBlockStop(
  state: MessagesContentBlockDecoderState,
  index: number,
): readonly NeutralEvent[] {
  const open = openBlock(state, index);
  state.open.delete(index);
  state.closed.push(open);
  if (open.part === undefined) return [];
  const end: NeutralEvent = { type: "part-end", index: open.part };
  const deltas = buildMessagesContentBlockEndDeltas(open);
  return deltas.length === 0 ? [end] : [...deltas, end];
}

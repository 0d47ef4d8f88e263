import type { ResponseEncodingContext } from "../codec.ts";
import type { JsonObject } from "../json.ts";
import type { NeutralPartDelta, NeutralPartHead } from "../neutral-event.ts";
import type { TokenUsage } from "../usage.ts";
import { toolKindToCallIdPrefix, type ResponsesOutputItemIdGenerator } from "./item-ids.ts";
import { buildResponsesCompactionItem, type ResponsesOutputItemStatus } from "./output-items.ts";
import { readResponsesReasoningVisibility } from "./reasoning-visibility.ts";
import {
  toResponsesToolCallItem,
  closeToolCallArguments,
  serializeResponsesToolCallDelta,
  createResponsesStreamingToolCallItem,
  type ResponsesStreamingToolCallItem,
} from "./stream-tool-call.ts";
import { type ResponsesStreamSequenceCounter, serializeResponsesFrame } from "./stream-frames.ts";
import {
  closeMessageContent,
  appendResponsesMessageContentDelta,
  toResponsesMessageItem,
  addMessageContentPart,
  type ResponsesStreamingMessageContent,
  type ResponsesStreamingMessageItem,
} from "./stream-message.ts";
import {
  closeReasoningSummary,
  appendResponsesStreamedReasoningDelta,
  type ResponsesStreamingReasoningItem,
  streamingReasoningToJson,
} from "./stream-reasoning.ts";

/** A summary of the conversation, being written. */
interface OpenCompaction {
  readonly type: "compaction";
  readonly id: string;
  readonly index: number;
  text: string;
}

export type ResponsesStreamingOutputItem =
  | ResponsesStreamingMessageItem
  | ResponsesStreamingToolCallItem
  | ResponsesStreamingReasoningItem
  | OpenCompaction;

/** A part of the turn that is open, and where its words go. */
type OpenPart = {
  readonly item: ResponsesStreamingOutputItem;
  /** Of a message. */
  readonly content: ResponsesStreamingMessageContent | undefined;
};

/** A stream being written. */
export interface ResponsesEncoderState {
  readonly context: ResponseEncodingContext;
  readonly counter: ResponsesStreamSequenceCounter;
  readonly ids: ResponsesOutputItemIdGenerator;
  /** By output index. */
  readonly items: ResponsesStreamingOutputItem[];
  /** Final form of closed items, by output index. */
  readonly outputs: Map<ResponsesStreamingOutputItem, JsonObject>;
  /** Changed by `openPart` and `forgetPart` only. */
  readonly parts: Map<number, OpenPart>;
  /** Number of the parts of an item that are open, for streams that open many. */
  readonly openParts: Map<ResponsesStreamingOutputItem, number>;
  usage: TokenUsage | undefined;
  /** UTF-16 units of all that was said, for an estimate. */
  written: number;
  hasBegun: boolean;
  hasEnded: boolean;
  hasRefusal: boolean;
}

export function startStreamedPart(
  state: ResponsesEncoderState,
  index: number,
  part: NeutralPartHead,
): string {
  switch (part.type) {
    case "text":
    case "refusal":
      return startStreamedContent(state, index, part.type);
    case "reasoning":
      return startReasoning(state, index);
    case "compaction":
      return startCompaction(state, index);
    case "tool-call": {
      const id = state.ids.next(toolKindToCallIdPrefix(part.kind));
      const call = createResponsesStreamingToolCallItem(id, state.items.length, part);
      openPart(state, index, { item: call, content: undefined });
      return addItem(state, call);
    }
  }
}

/** A run of texts is one message: the last item goes on, unless it is something else. */
export function startStreamedContent(
  state: ResponsesEncoderState,
  index: number,
  type: ResponsesStreamingMessageContent["type"],
): string {
  const last = state.items.at(-1);
  const message = last?.type === "message" ? last : newMessage(state);
  const opening = message === last ? "" : addItem(state, message);
  const frames = addMessageContentPart(state.counter, message, type);
  openPart(state, index, { item: message, content: message.contents.at(-1) });
  if (type === "refusal") state.hasRefusal = true;
  return opening + frames;
}

function newMessage(state: ResponsesEncoderState): ResponsesStreamingMessageItem {
  const id = state.ids.next("msg");
  return { type: "message", id, index: state.items.length, contents: [] };
}

function startReasoning(state: ResponsesEncoderState, index: number): string {
  const visibility = readResponsesReasoningVisibility(state.context.request);
  if (visibility === "hidden") return "";
  const item: ResponsesStreamingReasoningItem = {
    type: "reasoning",
    id: state.ids.next("rs"),
    index: state.items.length,
    hasSummaries: visibility === "summaries",
    texts: [],
    seal: undefined,
  };
  openPart(state, index, { item, content: undefined });
  return addItem(state, item);
}

function startCompaction(state: ResponsesEncoderState, index: number): string {
  const id = state.ids.next("cmp");
  const item: OpenCompaction = { type: "compaction", id, index: state.items.length, text: "" };
  openPart(state, index, { item, content: undefined });
  return addItem(state, item);
}

function addItem(state: ResponsesEncoderState, item: ResponsesStreamingOutputItem): string {
  const last = state.items.at(-1);
  state.items.push(item);
  const closing =
    last === undefined || isOpen(state, last) ? "" : closeStreamedItem(state, last, "completed");
  const added = { output_index: item.index, item: outputOf(state, item, "in_progress") };
  return closing + serializeResponsesFrame(state.counter, "response.output_item.added", added);
}

/** Parts of it have not ended. */
function isOpen(state: ResponsesEncoderState, item: ResponsesStreamingOutputItem): boolean {
  return state.openParts.has(item);
}

function openPart(state: ResponsesEncoderState, index: number, part: OpenPart): void {
  forgetPart(state, index);
  state.parts.set(index, part);
  state.openParts.set(part.item, (state.openParts.get(part.item) ?? 0) + 1);
}

function forgetPart(state: ResponsesEncoderState, index: number): void {
  const part = state.parts.get(index);
  if (part === undefined) return;
  state.parts.delete(index);
  const left = (state.openParts.get(part.item) ?? 1) - 1;
  if (left === 0) state.openParts.delete(part.item);
  else state.openParts.set(part.item, left);
}

export function appendResponsesStreamedPartDelta(
  state: ResponsesEncoderState,
  index: number,
  delta: NeutralPartDelta,
): string {
  const part = state.parts.get(index);
  if (part === undefined) return "";
  const { item, content } = part;
  if (content !== undefined)
    return appendResponsesMessageContentDelta(state.counter, content, delta);
  if (item.type === "call") return serializeResponsesToolCallDelta(state.counter, item, delta);
  if (item.type === "reasoning")
    return appendResponsesStreamedReasoningDelta(state.counter, item, delta);
  // It is sealed: nobody could read a piece of it.
  if (item.type === "compaction" && delta.type === "text") item.text += delta.text;
  return "";
}

export function* endStreamedPart(state: ResponsesEncoderState, index: number): Iterable<string> {
  const part = state.parts.get(index);
  if (part === undefined) return;
  forgetPart(state, index);
  const isLast = part.item === state.items.at(-1);
  const canClose = !isLast && !isOpen(state, part.item);
  yield* closePart(state, part);
  if (canClose) yield closeStreamedItem(state, part.item, "completed");
}

function* closePart(
  { counter }: ResponsesEncoderState,
  { item, content }: OpenPart,
): Iterable<string> {
  if (content !== undefined) yield* closeMessageContent(counter, content);
  else if (item.type === "call") yield closeToolCallArguments(counter, item);
  else if (item.type === "reasoning") yield* closeReasoningSummary(counter, item);
}

export function closeStreamedItem(
  state: ResponsesEncoderState,
  item: ResponsesStreamingOutputItem,
  status: ResponsesOutputItemStatus,
): string {
  if (state.outputs.has(item)) return "";
  const output = outputOf(state, item, status);
  state.outputs.set(item, output);
  const fields = { output_index: item.index, item: output };
  return serializeResponsesFrame(state.counter, "response.output_item.done", fields);
}

function outputOf(
  state: ResponsesEncoderState,
  item: ResponsesStreamingOutputItem,
  status: ResponsesOutputItemStatus,
): JsonObject {
  switch (item.type) {
    case "message":
      return toResponsesMessageItem(item, status);
    case "call":
      return toResponsesToolCallItem(item, status);
    case "reasoning":
      return streamingReasoningToJson(item, status, state.context);
    case "compaction":
      return buildResponsesCompactionItem(item.id, item.text);
  }
}

export function* endStreamedParts(state: ResponsesEncoderState): Iterable<string> {
  const open = [...state.parts.values()];
  state.parts.clear();
  state.openParts.clear();
  for (const part of open) yield* closePart(state, part);
}

/** Only the last item can have been cut: what came before it was complete when it began. */
export function* closeStreamedItems(
  state: ResponsesEncoderState,
  last: ResponsesOutputItemStatus,
): Iterable<string> {
  for (const item of state.items)
    yield closeStreamedItem(state, item, item === state.items.at(-1) ? last : "completed");
}

import type { JsonObject } from "../json.ts";
import type { NeutralPartDelta, NeutralPartHead } from "../neutral-event.ts";
import { type ToolCallDraft, buildToolCallItem, type OutputItemStatus } from "./output-items.ts";
import {
  type DeltaFrameTemplate,
  buildDeltaFrameTemplate,
  type StreamSequenceCounter,
  serializeDeltaFrame,
  serializeResponsesFrame,
} from "./stream-frames.ts";

/** A call being written. */
export interface StreamingToolCallItem {
  readonly type: "call";
  readonly id: string;
  readonly index: number;
  readonly head: Omit<ToolCallDraft, "arguments">;
  readonly frame: DeltaFrameTemplate;
  arguments: string;
}

type CallHead = Extract<NeutralPartHead, { type: "tool-call" }>;

export function createStreamingToolCallItem(
  id: string,
  index: number,
  part: CallHead,
): StreamingToolCallItem {
  const { kind, id: callId, name, namespace } = part;
  const head = { kind, callId, name, namespace };
  const frame = buildDeltaFrameTemplate(`${family(head)}.delta`, {
    item_id: id,
    output_index: index,
  });
  return { type: "call", id, index, head, frame, arguments: "" };
}

export function toResponsesToolCallItem(
  call: StreamingToolCallItem,
  status: OutputItemStatus,
): JsonObject {
  return buildToolCallItem(call.id, status, { ...call.head, arguments: call.arguments });
}

export function serializeToolCallDelta(
  counter: StreamSequenceCounter,
  call: StreamingToolCallItem,
  delta: NeutralPartDelta,
): string {
  if (delta.type !== "arguments" || delta.text === "") return "";
  call.arguments += delta.text;
  return call.head.kind === "search" ? "" : serializeDeltaFrame(counter, call.frame, delta.text);
}

/** A search for tools has no events of its own: the item alone tells it. */
export function closeToolCallArguments(
  counter: StreamSequenceCounter,
  call: StreamingToolCallItem,
): string {
  if (call.head.kind === "search") return "";
  const said =
    call.head.kind === "custom" ? { input: call.arguments } : { arguments: call.arguments };
  const place = { item_id: call.id, output_index: call.index };
  return serializeResponsesFrame(counter, `${family(call.head)}.done`, { ...place, ...said });
}

function family({ kind }: Pick<ToolCallDraft, "kind">): string {
  return kind === "custom" ? "response.custom_tool_call_input" : "response.function_call_arguments";
}

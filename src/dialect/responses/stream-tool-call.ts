import type { JsonObject } from "../json.ts";
import type { NeutralPartDelta, NeutralPartHead } from "../neutral-event.ts";
import {
  type ResponsesToolCallDraft,
  buildResponsesToolCallItem,
  type ResponsesOutputItemStatus,
} from "./output-items.ts";
import {
  type ResponsesDeltaFrameTemplate,
  buildResponsesDeltaFrameTemplate,
  type ResponsesStreamSequenceCounter,
  serializeResponsesDeltaFrame,
  serializeResponsesFrame,
} from "./stream-frames.ts";

/** A call being written. */
export interface ResponsesStreamingToolCallItem {
  readonly type: "call";
  readonly id: string;
  readonly index: number;
  readonly head: Omit<ResponsesToolCallDraft, "arguments">;
  readonly frame: ResponsesDeltaFrameTemplate;
  arguments: string;
}

type CallHead = Extract<NeutralPartHead, { type: "tool-call" }>;

export function createResponsesStreamingToolCallItem(
  id: string,
  index: number,
  part: CallHead,
): ResponsesStreamingToolCallItem {
  const { kind, id: callId, name, namespace } = part;
  const head = { kind, callId, name, namespace };
  const frame = buildResponsesDeltaFrameTemplate(`${family(head)}.delta`, {
    item_id: id,
    output_index: index,
  });
  return { type: "call", id, index, head, frame, arguments: "" };
}

export function toResponsesToolCallItem(
  call: ResponsesStreamingToolCallItem,
  status: ResponsesOutputItemStatus,
): JsonObject {
  return buildResponsesToolCallItem(call.id, status, { ...call.head, arguments: call.arguments });
}

export function serializeResponsesToolCallDelta(
  counter: ResponsesStreamSequenceCounter,
  call: ResponsesStreamingToolCallItem,
  delta: NeutralPartDelta,
): string {
  if (delta.type !== "arguments" || delta.text === "") return "";
  call.arguments += delta.text;
  return call.head.kind === "search"
    ? ""
    : serializeResponsesDeltaFrame(counter, call.frame, delta.text);
}

/** A search for tools has no events of its own: the item alone tells it. */
export function closeToolCallArguments(
  counter: ResponsesStreamSequenceCounter,
  call: ResponsesStreamingToolCallItem,
): string {
  if (call.head.kind === "search") return "";
  const said =
    call.head.kind === "custom" ? { input: call.arguments } : { arguments: call.arguments };
  const place = { item_id: call.id, output_index: call.index };
  return serializeResponsesFrame(counter, `${family(call.head)}.done`, { ...place, ...said });
}

function family({ kind }: Pick<ResponsesToolCallDraft, "kind">): string {
  return kind === "custom" ? "response.custom_tool_call_input" : "response.function_call_arguments";
}

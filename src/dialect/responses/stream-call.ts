import type { JsonObject } from "../json.ts";
import type { PartDelta, PartHead } from "../turn-event.ts";
import { type CallDraft, callItem, type ItemStatus } from "./output-items.ts";
import {
  type DeltaFrame,
  deltaFrame,
  type FrameCounter,
  printDelta,
  printFrame,
} from "./stream-frames.ts";

/** A call being written. */
export interface OpenCall {
  readonly type: "call";
  readonly id: string;
  readonly index: number;
  readonly head: Omit<CallDraft, "arguments">;
  readonly frame: DeltaFrame;
  arguments: string;
}

type CallHead = Extract<PartHead, { type: "tool-call" }>;

export function newCall(id: string, index: number, part: CallHead): OpenCall {
  const { kind, id: callId, name, namespace } = part;
  const head = { kind, callId, name, namespace };
  const frame = deltaFrame(`${family(head)}.delta`, { item_id: id, output_index: index });
  return { type: "call", id, index, head, frame, arguments: "" };
}

export function callOutput(call: OpenCall, status: ItemStatus): JsonObject {
  return callItem(call.id, status, { ...call.head, arguments: call.arguments });
}

export function extendCall(counter: FrameCounter, call: OpenCall, delta: PartDelta): string {
  if (delta.type !== "arguments" || delta.text === "") return "";
  call.arguments += delta.text;
  return call.head.kind === "search" ? "" : printDelta(counter, call.frame, delta.text);
}

/** A search for tools has no events of its own: the item alone tells it. */
export function closeCall(counter: FrameCounter, call: OpenCall): string {
  if (call.head.kind === "search") return "";
  const said =
    call.head.kind === "custom" ? { input: call.arguments } : { arguments: call.arguments };
  const place = { item_id: call.id, output_index: call.index };
  return printFrame(counter, `${family(call.head)}.done`, { ...place, ...said });
}

function family({ kind }: Pick<CallDraft, "kind">): string {
  return kind === "custom" ? "response.custom_tool_call_input" : "response.function_call_arguments";
}

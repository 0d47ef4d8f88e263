import { createUniqueToolCallIdAssigner } from "./tool-call-ids.ts";
import { CustomToolInputReader } from "./custom-tool.ts";
import type { ToolNameRestoreInfo } from "./restore-info.ts";
import type { StreamTransformer } from "./step-machine.ts";
import {
  NeutralResponseAccumulator,
  neutralResponseToEvents,
  type NeutralResponse,
} from "./neutral-response.ts";
import type { NeutralPartHead, NeutralEvent } from "./neutral-event.ts";

type CallHead = Extract<NeutralPartHead, { type: "tool-call" }>;
type PartStart = Extract<NeutralEvent, { type: "part-start" }>;
type PartDelta = Extract<NeutralEvent, { type: "part-delta" }>;
type PartEnd = Extract<NeutralEvent, { type: "part-end" }>;

/** How the arguments of an open call become what the caller sees. */
type OpenCall =
  | { readonly form: "json" | "text"; hasArguments: boolean }
  | { readonly form: "custom"; readonly reader: CustomToolInputReader };

/** State of `createToolCallRestorer`. */
export interface ToolCallRestorerState {
  readonly giveId: (id: string) => string;
  /** By the number of the part. */
  readonly open: (OpenCall | undefined)[];
  hasCall: boolean;
  hasJson: boolean;
}

/**
 * Undoes in the events of an answer what the request's encoder did to its tools:
 * names and namespaces come back, wrapped custom tools give their text, and the
 * input of the hidden JSON tool is the answer's text. Every call gets an id that
 * is valid and new, and one without arguments gets `{}`.
 */
export function createToolCallRestorer(
  recall: ToolNameRestoreInfo,
  answerId: string,
): StreamTransformer<ToolCallRestorerState, NeutralEvent, NeutralEvent> {
  return {
    start: () => ({
      giveId: createUniqueToolCallIdAssigner(recall.callIds, answerId),
      open: [],
      hasCall: false,
      hasJson: false,
    }),
    step: (state, event) => restore(state, event, recall),
    finish: () => [],
  };
}

/** The same for a whole answer. */
export function restoreResponseToolCalls(
  answer: NeutralResponse,
  recall: ToolNameRestoreInfo,
  answerId: string,
): NeutralResponse {
  const machine = createToolCallRestorer(recall, answerId);
  const state = machine.start();
  const fold = new NeutralResponseAccumulator();
  for (const event of neutralResponseToEvents(answer)) {
    for (const step of machine.step(state, event)) fold.push(step);
  }
  return fold.answer();
}

function restore(
  state: ToolCallRestorerState,
  event: NeutralEvent,
  recall: ToolNameRestoreInfo,
): readonly NeutralEvent[] {
  switch (event.type) {
    case "part-start":
      return [event.part.type === "tool-call" ? start(state, event, event.part, recall) : event];
    case "part-delta":
      return extend(state.open[event.index], event);
    case "part-end":
      return end(state, event);
    case "response-end":
      return event.reason === "tool-calls" && state.hasJson && !state.hasCall
        ? [{ ...event, reason: "end" }]
        : [event];
    default:
      return [event];
  }
}

function start(
  state: ToolCallRestorerState,
  { index }: PartStart,
  call: CallHead,
  recall: ToolNameRestoreInfo,
): NeutralEvent {
  if (call.name === recall.jsonTool) {
    state.hasJson = true;
    state.open[index] = { form: "text", hasArguments: false };
    return { type: "part-start", index, part: { type: "text" } };
  }
  state.hasCall = true;
  const tool = recall.tools.get(call.name);
  state.open[index] = openCall(call, tool?.kind);
  return { type: "part-start", index, part: { ...call, ...tool, id: state.giveId(call.id) } };
}

function openCall(call: CallHead, wanted: CallHead["kind"] | undefined): OpenCall {
  if (call.kind === "custom") return { form: "json", hasArguments: true };
  return wanted === "custom"
    ? { form: "custom", reader: new CustomToolInputReader() }
    : { form: "json", hasArguments: false };
}

function extend(open: OpenCall | undefined, event: PartDelta): readonly NeutralEvent[] {
  if (open === undefined || event.delta.type !== "arguments") return [event];
  const { text } = event.delta;
  if (text === "") return [];
  if (open.form === "custom") return argumentsOf(event.index, open.reader.read(text));
  open.hasArguments = true;
  return open.form === "json" ? [event] : [{ ...event, delta: { type: "text", text } }];
}

function end(state: ToolCallRestorerState, event: PartEnd): readonly NeutralEvent[] {
  const open = state.open[event.index];
  if (open === undefined) return [event];
  state.open[event.index] = undefined;
  if (open.form === "custom") return [...argumentsOf(event.index, open.reader.end()), event];
  if (open.hasArguments) return [event];
  const type = open.form === "json" ? "arguments" : "text";
  return [{ type: "part-delta", index: event.index, delta: { type, text: "{}" } }, event];
}

function argumentsOf(index: number, text: string): readonly NeutralEvent[] {
  return text === "" ? [] : [{ type: "part-delta", index, delta: { type: "arguments", text } }];
}

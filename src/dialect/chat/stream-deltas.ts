import type { ResponseEncodingContext } from "../codec.ts";
import type {
  Citation,
  NeutralPartDelta,
  NeutralPartHead,
  NeutralEvent,
} from "../neutral-event.ts";
import { toChatAnnotation } from "./annotations.ts";
import { isDeprecatedFunctionsEntry } from "./decode-tools.ts";
import { buildChatReasoningDetails, reasoningSummarySeparator } from "./reasoning-details.ts";
import type { ChatWireObject } from "./wire.ts";

/** The `delta` and `logprobs` of one chunk, as JSON text. */
export interface SerializedChatDelta {
  readonly delta: string;
  readonly logprobs: string;
}

type TextDelta = Extract<NeutralPartDelta, { type: "text" }>;
type CallHead = Extract<NeutralPartHead, { type: "tool-call" }>;

/** A part that is being written. */
type OpenPart =
  | {
      readonly type: "text";
      readonly start: number;
      length: number;
      readonly citations: Citation[];
    }
  | { readonly type: "refusal" }
  | { readonly type: "reasoning"; readonly texts: string[] }
  | { readonly type: "tool-call"; readonly index: number; readonly kind: CallHead["kind"] };

export interface ChatDeltaEncoderState {
  readonly context: ResponseEncodingContext;
  /** The caller declared `functions`: it knows one call, and that without an id. */
  readonly isLegacy: boolean;
  readonly open: Map<number, OpenPart>;
  calls: number;
  hasReasoning: boolean;
  hasRefusal: boolean;
  /** UTF-16 units of all text before the next text part. */
  textLength: number;
  /** UTF-16 units of everything written, for an estimate. */
  written: number;
  readonly annotations: ChatWireObject[];
  /** Told once, at the end: clients keep the last piece of a field that they do not know. */
  readonly details: ChatWireObject[];
}

export function createChatDeltaEncoderState(
  context: ResponseEncodingContext,
): ChatDeltaEncoderState {
  return {
    context,
    isLegacy: context.request.tools.some(isDeprecatedFunctionsEntry),
    open: new Map(),
    calls: 0,
    hasReasoning: false,
    hasRefusal: false,
    textLength: 0,
    written: 0,
    annotations: [],
    details: [],
  };
}

/** The deltas that an event gives, most often one. */
export function encodeChatDeltas(
  state: ChatDeltaEncoderState,
  event: NeutralEvent,
): readonly SerializedChatDelta[] {
  switch (event.type) {
    case "response-start":
      return [print({ role: "assistant", content: null })];
    case "part-start":
      return start(state, event.index, event.part);
    case "part-delta":
      return extend(state, state.open.get(event.index), event.delta);
    case "part-end":
      closePart(state, event.index);
      return [];
    case "response-end":
      return end(state, event.explanation);
    default:
      return [];
  }
}

function start(
  state: ChatDeltaEncoderState,
  index: number,
  head: NeutralPartHead,
): readonly SerializedChatDelta[] {
  switch (head.type) {
    case "text":
      state.open.set(index, { type: "text", start: state.textLength, length: 0, citations: [] });
      return [];
    case "refusal":
      state.hasRefusal = true;
      state.open.set(index, { type: "refusal" });
      return [];
    case "reasoning":
      state.open.set(index, { type: "reasoning", texts: [] });
      return [];
    case "compaction":
      // Only responses callers ask for one.
      return [];
    case "tool-call":
      return startedCall(state, index, head);
  }
}

/** Calls are counted from 0, whatever parts stand before them. */
function startedCall(
  state: ChatDeltaEncoderState,
  index: number,
  head: CallHead,
): readonly SerializedChatDelta[] {
  const place = state.calls;
  const { id, kind, name } = head;
  state.calls += 1;
  state.open.set(index, { type: "tool-call", index: place, kind });
  if (state.isLegacy) {
    return place === 0 ? [print({ function_call: { name, arguments: "" } })] : [];
  }
  const called =
    kind === "custom" ? { custom: { name, input: "" } } : { function: { name, arguments: "" } };
  return [print({ tool_calls: [{ index: place, id, type: kind, ...called }] })];
}

function extend(
  state: ChatDeltaEncoderState,
  part: OpenPart | undefined,
  delta: NeutralPartDelta,
): readonly SerializedChatDelta[] {
  if (part === undefined) return [];
  if (delta.type === "text" || delta.type === "arguments") state.written += delta.text.length;
  switch (part.type) {
    case "text":
      return extendedText(state, part, delta);
    case "refusal":
      return delta.type === "text" ? [textDelta("refusal", delta, state)] : [];
    case "reasoning":
      return extendedReasoning(state, part, delta);
    case "tool-call":
      return delta.type === "arguments" ? extendedCall(state, part, delta.text) : [];
  }
}

function extendedText(
  state: ChatDeltaEncoderState,
  part: Extract<OpenPart, { type: "text" }>,
  delta: NeutralPartDelta,
): readonly SerializedChatDelta[] {
  if (delta.type === "citation") part.citations.push(delta.citation);
  if (delta.type !== "text") return [];
  part.length += delta.text.length;
  state.textLength += delta.text.length;
  return [textDelta("content", delta, state)];
}

/** Thoughts come in parts, which are one text here. */
function extendedReasoning(
  state: ChatDeltaEncoderState,
  { texts }: Extract<OpenPart, { type: "reasoning" }>,
  delta: NeutralPartDelta,
): readonly SerializedChatDelta[] {
  if (delta.type === "next-summary") texts.push("");
  if (delta.type === "encrypted-reasoning") return sealPart(delta, texts, state);
  if (delta.type !== "text" || delta.text === "") return [];
  const isNew = (texts.at(-1) ?? "") === "";
  texts.push((texts.pop() ?? "") + delta.text);
  const gap = isNew && state.hasReasoning ? reasoningSummarySeparator : "";
  state.hasReasoning = true;
  return [print({ reasoning_content: gap + delta.text })];
}

function sealPart(
  { seal }: Extract<NeutralPartDelta, { type: "encrypted-reasoning" }>,
  texts: readonly string[],
  { context, details }: ChatDeltaEncoderState,
): readonly SerializedChatDelta[] {
  for (const detail of buildChatReasoningDetails(seal, texts, context)) details.push(detail);
  return [];
}

function extendedCall(
  { isLegacy }: ChatDeltaEncoderState,
  { index, kind }: Extract<OpenPart, { type: "tool-call" }>,
  text: string,
): readonly SerializedChatDelta[] {
  const json = JSON.stringify(text);
  if (isLegacy) return index === 0 ? [raw(`{"function_call":{"arguments":${json}}}`)] : [];
  const called =
    kind === "custom" ? `"custom":{"input":${json}}` : `"function":{"arguments":${json}}`;
  return [raw(`{"tool_calls":[{"index":${index},${called}}]}`)];
}

function closePart(state: ChatDeltaEncoderState, index: number): void {
  const part = state.open.get(index);
  state.open.delete(index);
  if (part?.type !== "text") return;
  for (const citation of part.citations) state.annotations.push(toChatAnnotation(citation, part));
}

/** Annotations come all at once: whoever adds chunks up keeps the last list only. */
function end(
  state: ChatDeltaEncoderState,
  explanation: string | undefined,
): readonly SerializedChatDelta[] {
  const { annotations, details, hasRefusal } = state;
  const refusal = hasRefusal ? undefined : explanation;
  return [
    ...(details.length === 0 ? [] : [print({ reasoning_details: details })]),
    ...(annotations.length === 0 ? [] : [print({ annotations })]),
    ...(refusal === undefined ? [] : [print({ refusal })]),
  ];
}

function textDelta(
  field: "content" | "refusal",
  delta: TextDelta,
  { context }: ChatDeltaEncoderState,
): SerializedChatDelta {
  const text = `{"${field}":${JSON.stringify(delta.text)}}`;
  if (context.request.logprobs === undefined || (delta.logprobs ?? []).length === 0)
    return raw(text);
  const logprobs = { content: null, refusal: null, [field]: delta.logprobs };
  return { delta: text, logprobs: JSON.stringify(logprobs) };
}

function print(delta: ChatWireObject): SerializedChatDelta {
  return raw(JSON.stringify(delta));
}

function raw(delta: string): SerializedChatDelta {
  return { delta, logprobs: "null" };
}

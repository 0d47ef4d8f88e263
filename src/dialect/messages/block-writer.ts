import type { AnswerContext } from "../codec.ts";
import type { PartDelta, PartHead } from "../turn-event.ts";
import { writeCitation } from "./encode-answer.ts";
import { isHidden, signatureOf } from "./seal-thinking.ts";
import type { WireObject } from "./wire.ts";

/** Writes the events of one block, without their index. */
export interface BlockWriter {
  start(): readonly WireObject[];
  delta(delta: PartDelta): readonly WireObject[];
  end(): readonly WireObject[];
  /** A block was written; a part that says nothing gives none. */
  isOpen(): boolean;
}

export function openBlock(part: PartHead, context: AnswerContext): BlockWriter {
  switch (part.type) {
    case "text":
    case "refusal":
      return textWriter();
    case "reasoning":
      return thinkingWriter(context);
    case "tool-call":
      return callWriter(part);
  }
}

function blockStart(block: WireObject): WireObject {
  return { type: "content_block_start", content_block: block };
}

function blockDelta(delta: WireObject): WireObject {
  return { type: "content_block_delta", delta };
}

const blockStop: WireObject = { type: "content_block_stop" };

/** Opens with its first words, so that an empty text gives no block. */
function textWriter(): BlockWriter {
  let isOpen = false;
  return {
    start: () => [],
    delta(delta) {
      if (delta.type === "citation" && isOpen) {
        return [blockDelta({ type: "citations_delta", citation: writeCitation(delta.citation) })];
      }
      if (delta.type !== "text" || delta.text === "") return [];
      const said = blockDelta({ type: "text_delta", text: delta.text });
      if (isOpen) return [said];
      isOpen = true;
      return [blockStart({ type: "text", text: "", citations: null }), said];
    },
    end: () => (isOpen ? [blockStop] : []),
    isOpen: () => isOpen,
  };
}

function callWriter({ id, name }: Extract<PartHead, { type: "tool-call" }>): BlockWriter {
  return {
    start: () => [blockStart({ type: "tool_use", id, name, input: {} })],
    delta: (delta) =>
      delta.type === "arguments" && delta.text !== ""
        ? [blockDelta({ type: "input_json_delta", partial_json: delta.text })]
        : [],
    end: () => [blockStop],
    isOpen: () => true,
  };
}

/** What a thinking part has told so far. */
interface ThinkingState {
  readonly context: AnswerContext;
  readonly texts: string[];
  seal: Extract<PartDelta, { type: "seal" }>["seal"] | undefined;
  isOpen: boolean;
}

/**
 * Opens with the first words or with the seal: only the seal tells thinking from
 * redacted thinking. The signature comes last, once.
 */
function thinkingWriter(context: AnswerContext): BlockWriter {
  const state: ThinkingState = { context, texts: [], seal: undefined, isOpen: false };
  return {
    start: () => [],
    delta: (delta) => thinkingDelta(state, delta),
    end: () => thinkingEnd(state),
    isOpen: () => state.isOpen,
  };
}

function thinkingDelta(state: ThinkingState, delta: PartDelta): readonly WireObject[] {
  switch (delta.type) {
    case "text":
      return thought(state, delta.text);
    case "next-summary":
      state.texts.push("");
      return [];
    case "seal":
      state.seal = delta.seal;
      return [];
    default:
      return [];
  }
}

/** Readable parts are divided by a blank line. */
function thought(state: ThinkingState, text: string): readonly WireObject[] {
  const before = state.texts.pop() ?? "";
  const isNext = before === "" && state.texts.some((earlier) => earlier !== "");
  state.texts.push(before + text);
  if (text === "") return [];
  const started = startedThinking(state);
  if (isHidden(state.context.turn)) return started;
  const thinking = isNext ? `\n\n${text}` : text;
  return [...started, blockDelta({ type: "thinking_delta", thinking })];
}

function startedThinking(state: ThinkingState): readonly WireObject[] {
  if (state.isOpen) return [];
  state.isOpen = true;
  return [blockStart({ type: "thinking", thinking: "", signature: "" })];
}

function thinkingEnd(state: ThinkingState): readonly WireObject[] {
  const { seal, texts, context } = state;
  if (seal?.kind === "redacted" && !state.isOpen) {
    state.isOpen = true;
    return [blockStart({ type: "redacted_thinking", data: seal.data }), blockStop];
  }
  if (seal === undefined && !state.isOpen) return [];
  const signature = signatureOf(seal, texts, context);
  const signed = signature === "" ? [] : [blockDelta({ type: "signature_delta", signature })];
  return [...startedThinking(state), ...signed, blockStop];
}

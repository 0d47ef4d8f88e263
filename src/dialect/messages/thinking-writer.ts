import type { ResponseEncodingContext } from "../codec.ts";
import type { NeutralPartDelta } from "../neutral-event.ts";
import type { EncryptedReasoning } from "../neutral-request.ts";
import {
  serializeMessagesContentBlockDelta,
  serializeMessagesContentBlockStart,
  serializeMessagesContentBlockStop,
  type MessagesContentBlockWriter,
} from "./block-frames.ts";
import { isThinkingHidden, buildMessagesThinkingSignature } from "./thinking-signature.ts";

/** What a thinking part has told so far. */
interface ThinkingState {
  readonly index: number;
  readonly context: ResponseEncodingContext;
  readonly texts: string[];
  seal: EncryptedReasoning | undefined;
  isOpen: boolean;
  /** A part of the texts has words. */
  hasWords: boolean;
}

/**
 * Opens with the first words or with the seal: only the seal tells thinking from
 * redacted thinking. The signature comes last, once.
 */
export function createMessagesThinkingBlockWriter(
  index: number,
  context: ResponseEncodingContext,
): MessagesContentBlockWriter {
  const state: ThinkingState = {
    index,
    context,
    texts: [],
    seal: undefined,
    isOpen: false,
    hasWords: false,
  };
  return {
    start: () => "",
    delta: (delta) => thinkingDelta(state, delta),
    end: () => thinkingEnd(state),
    isOpen: () => state.isOpen,
  };
}

function thinkingDelta(state: ThinkingState, delta: NeutralPartDelta): string {
  switch (delta.type) {
    case "text":
      return serializeThinking(state, delta.text);
    case "next-summary":
      state.texts.push("");
      return "";
    case "encrypted-reasoning":
      state.seal = delta.seal;
      return "";
    default:
      return "";
  }
}

/** Readable parts are divided by a blank line. */
function serializeThinking(state: ThinkingState, text: string): string {
  const before = state.texts.pop() ?? "";
  const isNext = before === "" && state.hasWords;
  state.texts.push(before + text);
  if (text === "") return "";
  state.hasWords = true;
  const started = startedThinking(state);
  if (isThinkingHidden(state.context.request)) return started;
  const thinking = isNext ? `\n\n${text}` : text;
  return (
    started +
    serializeMessagesContentBlockDelta(state.index, "thinking_delta", "thinking", thinking)
  );
}

function startedThinking(state: ThinkingState): string {
  if (state.isOpen) return "";
  state.isOpen = true;
  return serializeMessagesContentBlockStart(state.index, {
    type: "thinking",
    thinking: "",
    signature: "",
  });
}

function thinkingEnd(state: ThinkingState): string {
  const { index, seal, texts, context } = state;
  if (seal === undefined && !state.isOpen) return "";
  if (seal?.kind === "redacted" && !state.isOpen) return redact(state, seal.data);
  const signature = buildMessagesThinkingSignature(seal, texts, context);
  const signed =
    signature === ""
      ? ""
      : serializeMessagesContentBlockDelta(index, "signature_delta", "signature", signature);
  return startedThinking(state) + signed + serializeMessagesContentBlockStop(index);
}

/** It comes whole, in the start of its block. */
function redact(state: ThinkingState, data: string): string {
  state.isOpen = true;
  return (
    serializeMessagesContentBlockStart(state.index, { type: "redacted_thinking", data }) +
    serializeMessagesContentBlockStop(state.index)
  );
}

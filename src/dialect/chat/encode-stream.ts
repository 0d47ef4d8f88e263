import type { ResponseEncodingContext, StreamEncoder } from "../codec.ts";
import { fillMissingTokenUsage } from "../estimate-usage.ts";
import { toChatResponseTier, type ResponseServiceTier } from "../service-tier.ts";
import type { StreamTransformer } from "../step-machine.ts";
import type { NeutralEnd, NeutralEvent } from "../neutral-event.ts";
import { mergeTokenUsage, type TokenUsage } from "../usage.ts";
import { serializeChatStreamError } from "./error.ts";
import { encodeChatFinishReason } from "./finish-reason.ts";
import {
  type ChatDeltaEncoderState,
  encodeChatDeltas,
  createChatDeltaEncoderState,
} from "./stream-deltas.ts";
import { encodeChatUsage } from "./usage.ts";

/** Frames of a caller's stream. */
export function createChatStreamEncoder(context: ResponseEncodingContext): StreamEncoder {
  const machine = chatFrames(context);
  const state = machine.start();
  return {
    push: (event) => join(machine.step(state, event)),
    fail: serializeChatStreamError,
  };
}

/** As a rule there is one frame. */
function join(frames: readonly string[]): string {
  const [only = ""] = frames;
  return frames.length <= 1 ? only : frames.join("");
}

interface WritingState {
  frame: ChunkFrame;
  readonly deltas: ChatDeltaEncoderState;
  usage: TokenUsage | undefined;
}

/** The parts of a chunk that never change, as JSON text. */
interface ChunkFrame {
  readonly beforeDelta: string;
  readonly afterDelta: string;
  readonly beforeFinish: string;
  readonly beforeUsage: string;
  readonly end: string;
}

function chatFrames(
  context: ResponseEncodingContext,
): StreamTransformer<WritingState, NeutralEvent, string> {
  return {
    start: () => ({
      frame: chunkFrame(context, undefined),
      deltas: createChatDeltaEncoderState(context),
      usage: undefined,
    }),
    step: (state, event) => {
      if (event.type === "usage") state.usage = mergeTokenUsage(state.usage, event.usage);
      // The tier that served may be known at the end only.
      const tier = tierIn(event);
      if (tier !== undefined) state.frame = chunkFrame(context, tier);
      const { frame } = state;
      const chunks = encodeChatDeltas(state.deltas, event).map((delta) =>
        serializeDelta(frame, delta),
      );
      return event.type === "response-end"
        ? [...chunks, ...closing(state, event, context)]
        : chunks;
    },
    finish: () => [],
  };
}

function tierIn(event: NeutralEvent): ResponseServiceTier | undefined {
  return event.type === "response-start" || event.type === "response-end" ? event.tier : undefined;
}

/** Id, time and model are the same on every chunk of a stream. */
function chunkFrame(
  { id, created, request: turn }: ResponseEncodingContext,
  tier: ResponseServiceTier | undefined,
): ChunkFrame {
  const head = {
    id: `chatcmpl-${id}`,
    object: "chat.completion.chunk",
    created,
    model: turn.model,
    ...(tier === undefined ? {} : { service_tier: toChatResponseTier(tier) }),
  };
  const start = `data: ${JSON.stringify(head).slice(0, -1)},"choices":[`;
  // Once usage is promised, every chunk but the last says that it has none.
  const end = turn.wantsStreamUsage ? `],"usage":null}\n\n` : `]}\n\n`;
  return {
    beforeDelta: `${start}{"index":0,"delta":`,
    afterDelta: `,"finish_reason":null}${end}`,
    beforeFinish: `${start}{"index":0,"delta":{},"logprobs":null,"finish_reason":`,
    beforeUsage: `${start}],"usage":`,
    end,
  };
}

function serializeDelta(
  frame: ChunkFrame,
  { delta, logprobs }: { delta: string; logprobs: string },
): string {
  return `${frame.beforeDelta}${delta},"logprobs":${logprobs}${frame.afterDelta}`;
}

function closing(
  { frame, deltas, usage }: WritingState,
  { reason }: NeutralEnd,
  { request: turn, estimatedInput }: ResponseEncodingContext,
): readonly string[] {
  const finish = encodeChatFinishReason(reason);
  const word =
    deltas.isLegacy && deltas.calls > 0 && finish === "tool_calls" ? "function_call" : finish;
  const told = fillMissingTokenUsage(usage, estimatedInput, deltas.written);
  const usageChunk = `${frame.beforeUsage}${JSON.stringify(encodeChatUsage(told))}}\n\n`;
  return [
    `${frame.beforeFinish}"${word}"}${frame.end}`,
    ...(turn.wantsStreamUsage ? [usageChunk] : []),
    "data: [DONE]\n\n",
  ];
}

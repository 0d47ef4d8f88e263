import type { AnswerContext, StreamEncoder } from "../codec.ts";
import { openTier } from "../service-tier.ts";
import type { StepMachine } from "../step-machine.ts";
import type { TurnEnd, TurnEvent } from "../turn-event.ts";
import { mergeUsage, type Usage } from "../usage.ts";
import { printChatStreamError } from "./error.ts";
import { finishReason } from "./finish-reason.ts";
import { type DeltaState, deltasOf, startDeltas } from "./stream-deltas.ts";
import { encodeUsage } from "./usage.ts";

/** Frames of a caller's stream. */
export function encodeStream(context: AnswerContext): StreamEncoder {
  const machine = chatFrames(context);
  const state = machine.start();
  return {
    push: (event) => machine.step(state, event).join(""),
    fail: printChatStreamError,
  };
}

interface WritingState {
  readonly deltas: DeltaState;
  usage: Usage | undefined;
}

/** The parts of a chunk that never change, as JSON text. */
interface ChunkFrame {
  readonly beforeDelta: string;
  readonly afterDelta: string;
  readonly beforeFinish: string;
  readonly beforeUsage: string;
  /** Behind the choices of every chunk but the last. */
  readonly tail: string;
  readonly end: string;
}

function chatFrames(context: AnswerContext): StepMachine<WritingState, TurnEvent, string> {
  const frame = chunkFrame(context);
  return {
    start: () => ({ deltas: startDeltas(context), usage: undefined }),
    step: (state, event) => {
      if (event.type === "usage") state.usage = mergeUsage(state.usage, event.usage);
      const chunks = deltasOf(state.deltas, event).map((delta) => printDelta(frame, delta));
      return event.type === "turn-end"
        ? [...chunks, ...closing(frame, state, event, context)]
        : chunks;
    },
    finish: () => [],
  };
}

/** Id, time and model are the same on every chunk of a stream. */
function chunkFrame({ id, created, turn }: AnswerContext): ChunkFrame {
  const head = {
    id: `chatcmpl-${id}`,
    object: "chat.completion.chunk",
    created,
    model: turn.model,
  };
  const start = `data: ${JSON.stringify(head).slice(0, -1)},"choices":[`;
  // Once usage is promised, every chunk but the last says that it has none.
  const tail = turn.wantsStreamUsage ? `,"usage":null}\n\n` : `}\n\n`;
  const end = `]${tail}`;
  return {
    beforeDelta: `${start}{"index":0,"delta":`,
    afterDelta: `,"finish_reason":null}${end}`,
    beforeFinish: `${start}{"index":0,"delta":{},"logprobs":null,"finish_reason":`,
    beforeUsage: `${start}],"usage":`,
    tail,
    end,
  };
}

function printDelta(
  frame: ChunkFrame,
  { delta, logprobs }: { delta: string; logprobs: string },
): string {
  return `${frame.beforeDelta}${delta},"logprobs":${logprobs}${frame.afterDelta}`;
}

function closing(
  frame: ChunkFrame,
  { deltas, usage }: WritingState,
  { reason, tier }: TurnEnd,
  { turn, estimatedInput }: AnswerContext,
): readonly string[] {
  const finish = finishReason(reason);
  const word =
    deltas.isLegacy && deltas.calls > 0 && finish === "tool_calls" ? "function_call" : finish;
  const told = usage ?? { input: estimatedInput, output: Math.ceil(deltas.written / 4) };
  // The tier that was used is known at the end; until then a client has none.
  const served = tier === undefined ? "" : `,"service_tier":${JSON.stringify(openTier(tier))}`;
  const usageChunk = `${frame.beforeUsage}${JSON.stringify(encodeUsage(told))}${served}}\n\n`;
  return [
    `${frame.beforeFinish}"${word}"}]${served}${frame.tail}`,
    ...(turn.wantsStreamUsage ? [usageChunk] : []),
    "data: [DONE]\n\n",
  ];
}

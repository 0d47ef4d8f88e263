import { unknownUpstream, type Capabilities } from "../../../src/dialect/capabilities.ts";
import { chatCodec } from "../../../src/dialect/chat/codec.ts";
import type {
  AnswerContext,
  EncodedRequest,
  DecodeContext,
  StreamDecoder,
} from "../../../src/dialect/codec.ts";
import type { JsonObject } from "../../../src/dialect/json.ts";
import { LossLedger, type Loss } from "../../../src/dialect/loss.ts";
import type { ReasoningEnvelope } from "../../../src/dialect/reasoning-envelope.ts";
import type { TurnEvent } from "../../../src/dialect/turn-event.ts";
import type { ReasoningSeal, Turn } from "../../../src/dialect/turn.ts";
import { readEvents } from "../../../src/platform/sse/read-events.ts";
import type { StreamEvent } from "../../../src/platform/sse/stream-event.ts";
import { emptyTurn } from "../../support/empty-turn.ts";

/** An envelope that anybody could read, for tests of what is put where. */
export const openEnvelope: ReasoningEnvelope = {
  seal: (seal, texts) => `cw1.${JSON.stringify({ seal, texts })}`,
  open: (text) =>
    text.startsWith("cw1.")
      ? (JSON.parse(text.slice(4)) as { seal: ReasoningSeal; texts: readonly string[] })
      : undefined,
};

export function requestContext(ledger = new LossLedger()): DecodeContext {
  return { ledger, envelope: openEnvelope, headers: {} };
}

export function answerContext(turn: Partial<Turn> = {}): AnswerContext {
  return {
    turn: { ...emptyTurn, ...turn },
    id: "01jd0000000000000000000000",
    created: 1_700_000_000,
    completed: () => 1_700_000_007,
    envelope: openEnvelope,
    estimatedInput: 9,
    echo: { store: false, previousResponseId: undefined },
  };
}

/** A caller's body as a turn. */
export function decode(body: JsonObject): { turn: Turn; losses: readonly Loss[] } {
  const ledger = new LossLedger();
  const turn = chatCodec.decodeRequest(body, requestContext(ledger));
  return { turn, losses: ledger.losses };
}

/** A turn as the body for an upstream, and what was lost. */
export function encode(
  turn: Turn,
  capabilities: Partial<Capabilities> = {},
): EncodedRequest & { losses: readonly Loss[] } {
  const ledger = new LossLedger();
  const target = {
    ledger,
    model: "lab-1",
    capabilities: { ...unknownUpstream, ...capabilities },
  };
  return { ...chatCodec.encodeRequest(turn, target), losses: ledger.losses };
}

/** The events of an upstream's stream and, unless it is cut, of its end. */
export function readAll(events: readonly StreamEvent[], stop: readonly string[] = []): TurnEvent[] {
  const decoder: StreamDecoder = chatCodec.decodeStream({ stop });
  return [...events.flatMap((event) => decoder.push(event)), ...decoder.finish()];
}

export function readText(stream: string, stop: readonly string[] = []): TurnEvent[] {
  return readAll(readEvents(stream), stop);
}

/** A caller's stream. */
export function writeAll(events: Iterable<TurnEvent>, turn: Partial<Turn> = {}): string {
  const encoder = chatCodec.encodeStream(answerContext(turn));
  return [...events].map((event) => encoder.push(event)).join("");
}

/** Chunks as an upstream sends them. */
export function sse(...chunks: readonly (JsonObject | string)[]): string {
  return chunks
    .map((chunk) => `data: ${typeof chunk === "string" ? chunk : JSON.stringify(chunk)}\n\n`)
    .join("");
}

/** A chunk with one choice. */
export function chunk(delta: JsonObject, finish: string | null = null, rest: JsonObject = {}) {
  const choice = { index: 0, delta, finish_reason: finish };
  return {
    id: "x",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [choice],
    ...rest,
  };
}

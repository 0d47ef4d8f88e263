import {
  unknownModelCapabilities,
  type ModelCapabilities,
} from "../../../src/dialect/capabilities.ts";
import { chatCodec } from "../../../src/dialect/chat/codec.ts";
import type {
  ResponseEncodingContext,
  EncodedRequest,
  RequestDecodingContext,
  StreamDecoder,
} from "../../../src/dialect/codec.ts";
import type { JsonObject } from "../../../src/dialect/json.ts";
import {
  ConversionWarningCollector,
  type ConversionWarning,
} from "../../../src/dialect/conversion-warning.ts";
import type { ReasoningEnvelopeSealer } from "../../../src/dialect/reasoning-envelope.ts";
import type { NeutralEvent } from "../../../src/dialect/neutral-event.ts";
import type { EncryptedReasoning, NeutralRequest } from "../../../src/dialect/neutral-request.ts";
import { parseEventStreamText } from "../../../src/platform/sse/read-events.ts";
import type { SseEvent } from "../../../src/platform/sse/stream-event.ts";
import { emptyTurn } from "../../support/empty-turn.ts";

/** An envelope that anybody could read, for tests of what is put where. */
export const openEnvelope: ReasoningEnvelopeSealer = {
  seal: (seal, texts) => `cw1.${JSON.stringify({ encryptedReasoning: seal, texts })}`,
  open: (text) =>
    text.startsWith("cw1.")
      ? (JSON.parse(text.slice(4)) as {
          encryptedReasoning: EncryptedReasoning;
          texts: readonly string[];
        })
      : undefined,
};

export function requestContext(ledger = new ConversionWarningCollector()): RequestDecodingContext {
  return { warnings: ledger, envelope: openEnvelope, headers: {} };
}

export function answerContext(turn: Partial<NeutralRequest> = {}): ResponseEncodingContext {
  return {
    request: { ...emptyTurn, ...turn },
    id: "01jd0000000000000000000000",
    created: 1_700_000_000,
    completed: () => 1_700_000_007,
    envelope: openEnvelope,
    estimatedInput: 9,
    echo: { store: false, previousResponseId: undefined },
  };
}

/** A caller's body as a turn. */
export function decode(body: JsonObject): {
  turn: NeutralRequest;
  losses: readonly ConversionWarning[];
} {
  const ledger = new ConversionWarningCollector();
  const turn = chatCodec.decodeRequest(body, requestContext(ledger));
  return { turn, losses: ledger.warnings };
}

/** A turn as the body for an upstream, and what was lost. */
export function encode(
  turn: NeutralRequest,
  capabilities: Partial<ModelCapabilities> = {},
): EncodedRequest & { losses: readonly ConversionWarning[] } {
  const ledger = new ConversionWarningCollector();
  const target = {
    warnings: ledger,
    model: "lab-1",
    capabilities: { ...unknownModelCapabilities, ...capabilities },
  };
  return { ...chatCodec.encodeRequest(turn, target), losses: ledger.warnings };
}

/** The events of an upstream's stream and, unless it is cut, of its end. */
export function readAll(events: readonly SseEvent[], stop: readonly string[] = []): NeutralEvent[] {
  const decoder: StreamDecoder = chatCodec.decodeStream({ stop });
  return [...events.flatMap((event) => decoder.push(event)), ...decoder.finish()];
}

export function readText(stream: string, stop: readonly string[] = []): NeutralEvent[] {
  return readAll(parseEventStreamText(stream), stop);
}

/** A caller's stream. */
export function writeAll(
  events: Iterable<NeutralEvent>,
  turn: Partial<NeutralRequest> = {},
): string {
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

import { describe, expect, it } from "vitest";
import { checkChatStream } from "../../src/conformance/grammar/chat.ts";
import { checkMessagesStream } from "../../src/conformance/grammar/messages.ts";
import { checkResponsesStream } from "../../src/conformance/grammar/responses.ts";
import { getDialectCodec } from "../../src/dialect/codecs.ts";
import type { JsonObject } from "../../src/dialect/json.ts";
import {
  neutralResponseToEvents,
  type NeutralResponsePart,
  type NeutralResponse,
} from "../../src/dialect/neutral-response.ts";
import type { NeutralStopReason, NeutralEvent } from "../../src/dialect/neutral-event.ts";
import type { DialectId } from "../../src/platform/configuration/configuration.ts";
import { SseEventReader } from "../../src/platform/sse/event-reader.ts";
import { parseEventStreamText } from "../../src/platform/sse/read-events.ts";
import type { SseEvent } from "../../src/platform/sse/stream-event.ts";
import { answerContext } from "../support/codec-contexts.ts";
import { officialMessage } from "../support/official-messages.ts";
import { transcodeStream, responseFromStream } from "../support/transcoded-response.ts";
import { accumulate as accumulateChat } from "./chat/official-client.ts";
import { accumulate as accumulateResponse, withoutHelpers } from "./responses/official-client.ts";

const dialects = ["dialect_chat", "dialect_responses", "dialect_messages"] as const;
const pairs = dialects.flatMap((from) => dialects.map((to) => ({ from, to })));

const text = (words: string): NeutralResponsePart => ({
  type: "text",
  text: words,
  logprobs: [],
  citations: [],
});

const called = (id: string, json: string): NeutralResponsePart => ({
  type: "tool-call",
  kind: "function",
  id,
  name: "weather",
  namespace: undefined,
  arguments: json,
});

function answer(
  reason: NeutralStopReason,
  ...parts: readonly NeutralResponsePart[]
): NeutralResponse {
  return {
    parts,
    end: { type: "response-end", reason, raw: undefined, tier: "standard" },
    error: undefined,
    usage: { input: 7, cacheRead: 2000, cacheWrite: 300, output: 50, reasoning: 30 },
  };
}

const thought: NeutralResponsePart = {
  type: "reasoning",
  texts: ["Schritt für Schritt 🤔"],
  encrypted: { dialect: "dialect_chat", kind: "plain" },
};

/** What a model may say, with characters of every length. */
const answers: Readonly<Record<string, NeutralResponse>> = {
  words: answer("end", text("Grüße 👩‍👩‍👧,\n\u2028 日本")),
  "three calls, one without arguments": answer(
    "tool-calls",
    text("Look."),
    called("call_a", '{"ключ":"Осло"}'),
    called("call_b", "{}"),
    called("call_c", '{"n":[1,2,{"m":"\\n"}]}'),
  ),
  "a thought, words and a call": answer(
    "tool-calls",
    thought,
    text("Hm."),
    called("c1", '{"a":1}'),
  ),
  "a refusal": answer("refusal", {
    type: "refusal",
    text: "I will not.",
    logprobs: [],
    citations: [],
  }),
  "what a cap cut": answer("length", text("And then the")),
};

/** Texts and arguments as tokens, a few characters each. */
function* torn(events: Iterable<NeutralEvent>): Generator<NeutralEvent> {
  for (const event of events) {
    if (event.type !== "part-delta" || !("text" in event.delta)) yield event;
    else {
      for (const piece of event.delta.text.match(/.{1,5}/gsu) ?? []) {
        yield { ...event, delta: { ...event.delta, text: piece } };
      }
    }
  }
}

/** The stream of an upstream that says it. */
function upstreamText(from: DialectId, said: NeutralResponse): string {
  const usageWanted = { wantsStreamUsage: true };
  const encoder = getDialectCodec(from).encodeStream(answerContext(usageWanted));
  return [...torn(neutralResponseToEvents(said))].map((event) => encoder.push(event)).join("");
}

function isBesideLineEnd(bytes: Buffer, at: number): boolean {
  return /[\r\n]/.test(bytes.toString("latin1", Math.max(0, at - 2), at + 2));
}

const grammars = {
  dialect_chat: checkChatStream,
  dialect_responses: checkResponsesStream,
  dialect_messages: checkMessagesStream,
};

const context = answerContext({ wantsStreamUsage: true });

describe.each(pairs)("every answer of a $from upstream for a $to caller", ({ from, to }) => {
  const rows = Object.entries(answers);

  it.each(rows)(
    "[stream.grammar] keeps the grammar and equals the whole answer: %s",
    async (_what, said) => {
      const stream = transcodeStream(upstreamText(from, said), { from, to, context });
      const whole = responseFromStream(upstreamText(from, said), { from, to, context });
      expect(grammars[to](parseEventStreamText(stream))).toEqual([]);
      expect(await understood(to, stream)).toEqual(comparable(to, whole));
    },
  );

  it.each(rows)(
    "[stream.bytes] is the same from bytes cut anywhere, LF or CRLF: %s",
    (_what, said) => {
      const lines = upstreamText(from, said);
      const expected = transcodeStream(lines, { from, to, context });
      for (const ending of ["\n", "\r\n"]) {
        const bytes = Buffer.from(lines.replaceAll("\n", ending));
        for (const size of [1, 7, 64]) {
          expect(streamOfPieces(cutAt(bytes, size), from, to)).toBe(expected);
        }
      }
    },
  );
});

describe.each(dialects)("the bytes of a %s upstream", (from) => {
  it.each(Object.entries(answers))(
    "[stream.bytes] cut once, at every offset: %s",
    (_what, said) => {
      const lines = upstreamText(from, said);
      const expected = JSON.stringify(eventsOf([Buffer.from(lines)]));
      const different: unknown[] = [];
      for (const ending of ["\n", "\r\n", "\r"]) {
        const bytes = Buffer.from(lines.replaceAll("\n", ending));
        for (let at = 0; at <= bytes.length; at += 1) {
          // Elsewhere the kind of line ends changes nothing.
          if (ending !== "\n" && !isBesideLineEnd(bytes, at)) continue;
          const events = eventsOf([bytes.subarray(0, at), bytes.subarray(at)]);
          if (JSON.stringify(events) !== expected) different.push([ending, at, events]);
        }
      }
      expect(different).toEqual([]);
    },
  );
});

function eventsOf(pieces: readonly Buffer[]): readonly SseEvent[] {
  const reader = new SseEventReader(1024 * 1024);
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.finish()];
}

function cutAt(bytes: Buffer, size: number): readonly Buffer[] {
  const count = Math.ceil(bytes.length / size);
  return Array.from({ length: count }, (_none, at) => bytes.subarray(at * size, (at + 1) * size));
}

function streamOfPieces(pieces: readonly Buffer[], from: DialectId, to: DialectId): string {
  const reader = new SseEventReader(1024 * 1024);
  const decoder = getDialectCodec(from).decodeStream({ stop: [] });
  const encoder = getDialectCodec(to).encodeStream(context);
  const write = (events: readonly NeutralEvent[]): string =>
    events.map((event) => encoder.push(event)).join("");
  const read = (events: readonly SseEvent[]): string =>
    events.map((event) => write(decoder.push(event))).join("");
  return pieces.map((piece) => read(reader.push(piece))).join("") + read(reader.finish());
}

/** What the official client of the caller's dialect ends with. */
async function understood(to: DialectId, stream: string): Promise<unknown> {
  if (to === "dialect_messages") return comparable(to, { ...(await officialMessage(stream)) });
  if (to === "dialect_responses") {
    return withoutHelpers((await accumulateResponse(stream)).response);
  }
  return comparable(to, { ...(await accumulateChat(stream)) });
}

/** Less what the official helper adds, or is known to keep the last piece of only. */
function comparable(to: DialectId, whole: JsonObject): unknown {
  const plain = JSON.parse(JSON.stringify(whole)) as JsonObject;
  return to === "dialect_chat" ? comparableChat(plain) : plain;
}

interface ChatLike {
  readonly choices: readonly {
    readonly finish_reason: unknown;
    readonly message: {
      readonly content?: string | null;
      readonly refusal?: string | null;
      readonly tool_calls?: readonly {
        id: string;
        function: { name: string; arguments: string };
      }[];
    };
  }[];
}

function comparableChat(plain: JsonObject): unknown {
  const { id, created, model, usage, service_tier: tier } = plain;
  const choices = (plain as unknown as ChatLike).choices.map(({ finish_reason, message }) => ({
    finish_reason,
    content: message.content ?? null,
    refusal: message.refusal ?? null,
    calls: (message.tool_calls ?? []).map((call) => [
      call.id,
      call.function.name,
      call.function.arguments,
    ]),
  }));
  return { id, created, model, usage, tier, choices };
}

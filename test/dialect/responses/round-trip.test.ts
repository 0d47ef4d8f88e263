import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chatCodec } from "../../../src/dialect/chat/codec.ts";
import type { JsonObject } from "../../../src/dialect/json.ts";
import { messagesCodec } from "../../../src/dialect/messages/codec.ts";
import { decodeResponsesResponse } from "../../../src/dialect/responses/decode-response.ts";
import { decodeResponsesRequest } from "../../../src/dialect/responses/decode-request.ts";
import { createResponsesStreamDecoder } from "../../../src/dialect/responses/decode-stream.ts";
import { encodeResponsesResponse } from "../../../src/dialect/responses/encode-response.ts";
import { encodeResponsesRequest } from "../../../src/dialect/responses/encode-request.ts";
import { createResponsesStreamEncoder } from "../../../src/dialect/responses/encode-stream.ts";
import {
  neutralEventsToResponse,
  type NeutralResponse,
} from "../../../src/dialect/neutral-response.ts";
import type { NeutralRequest } from "../../../src/dialect/neutral-request.ts";
import { SseEventReader } from "../../../src/platform/sse/event-reader.ts";
import { someAnswer, someEvents, someTurn } from "../arbitrary-request.ts";
import {
  answerContext,
  openEnvelope,
  requestContext,
  targetContext,
  wantsEverything,
} from "./response-context.ts";
import { vendorOutput } from "./vendor-stream.ts";
import { everything } from "./whole-request.ts";

const seal = {
  dialect: "dialect_responses",
  kind: "encrypted",
  id: "rs_9",
  encryptedContent: "gAAA",
} as const;

/** The vendor's own blobs go through the envelope as they are, for this purpose. */
const ownVendor = {
  ...openEnvelope,
  open: (encryptedContent: string) => ({
    encryptedReasoning: { ...seal, encryptedContent },
    texts: ["hm"],
  }),
};

function roundTrip(body: JsonObject): JsonObject {
  const turn = decodeResponsesRequest(body, { ...requestContext(), envelope: ownVendor });
  return encodeResponsesRequest(turn, targetContext()).body;
}

function withoutUpstreamWords(answer: NeutralResponse): unknown {
  const { usage, end, ...rest } = answer;
  return { ...rest, usage: { ...usage, raw: undefined }, end: { ...end, raw: undefined } };
}

describe("a request in one dialect", () => {
  it("is the same after it was read and written", () => {
    expect(roundTrip(everything)).toEqual(everything);
  });

  it.each(["hello", "", "Grüße 🙂"])("keeps the input %j a text", (input) => {
    expect(roundTrip({ model: "gpt-x", input })).toEqual({ model: "gpt-x", input });
  });

  it("[thought.reasoning-item] keeps id, summary and blob of a replayed reasoning item", () => {
    const [reasoning, , , call] = vendorOutput;
    const input = [
      { type: "message", role: "user", content: "a" },
      { ...reasoning, id: "rs_9", summary: [{ type: "summary_text", text: "hm" }] },
      {
        type: "function_call",
        call_id: call?.["call_id"],
        name: "look_up",
        arguments: "{}",
        status: "completed",
      },
      { type: "function_call_output", call_id: call?.["call_id"], output: "x" },
    ];
    expect(roundTrip({ model: "gpt-x", input })).toEqual({ model: "gpt-x", input });
  });

  it("[request.stable] gives the same bytes for the same request", () => {
    const copy = JSON.parse(JSON.stringify(everything));
    expect(JSON.stringify(roundTrip(copy))).toBe(JSON.stringify(roundTrip(everything)));
  });
});

describe("any conversation", () => {
  it("says the same after it was written for a responses upstream and read again", () => {
    fc.assert(
      fc.property(someTurn(), (turn) => {
        const { body } = encodeResponsesRequest(turn, targetContext());
        const again = decodeResponsesRequest(body, requestContext());
        expect(again.messages.map(wordsOf)).toEqual(turn.messages.map(wordsOf));
        expect(again.system.map(({ text }) => text).join("\n\n")).toBe(
          turn.system.map(({ text }) => text).join("\n\n"),
        );
        expect(again.tools.map(({ name }) => name)).toEqual(turn.tools.map(({ name }) => name));
        expect(again.sampling.temperature?.value).toBe(turn.sampling.temperature?.value);
        expect(again.maxOutputTokens?.value).toBe(turn.maxOutputTokens?.value);
        expect(again.isStream).toBe(turn.isStream);
      }),
    );
  });

  it.each([chatCodec, messagesCodec])("reaches every upstream whole: $dialect", (codec) => {
    fc.assert(
      fc.property(someTurn(), (turn) => {
        const { body } = encodeResponsesRequest(turn, targetContext());
        const read = decodeResponsesRequest(body, requestContext());
        const sent = JSON.stringify(codec.encodeRequest(read, targetContext()).body);
        expect(textsOf(turn).filter((text) => !sent.includes(escaped(text)))).toEqual([]);
      }),
    );
  });
});

/** Text that says anything: blank blocks are not allowed everywhere. */
function textsOf({ messages }: NeutralRequest): readonly string[] {
  const parts = messages.flatMap((message) => message.parts);
  return parts.flatMap((part) => (part.type === "text" ? part.text.trim() : []));
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

describe("any answer", () => {
  const choices = { kinds: ["function", "custom"], hasCitations: true } as const;

  it("is the same after it was written for a caller and read again", () => {
    fc.assert(
      fc.property(someAnswer(choices), (answer) => {
        const again = decodeResponsesResponse(encodeResponsesResponse(answer, answerContext()));
        expect(withoutUpstreamWords(again)).toEqual(withoutUpstreamWords(asTold(answer)));
      }),
    );
  });

  it("is the same after it was streamed to a caller and read again", () => {
    fc.assert(
      fc.property(someEvents(choices), ({ answer, events }) => {
        const encoder = createResponsesStreamEncoder(answerContext());
        const decoder = createResponsesStreamDecoder();
        const bytes = Buffer.from(events.map((event) => encoder.push(event)).join(""));
        const read = new SseEventReader(1024 * 1024).push(bytes);
        const again = neutralEventsToResponse(read.flatMap((event) => [...decoder.push(event)]));
        expect(withoutUpstreamWords(again)).toEqual(withoutUpstreamWords(asTold(answer)));
      }),
    );
  });

  it("comes back to the vendor with the blob that it was sealed in", () => {
    const answer: NeutralResponse = {
      parts: [{ type: "reasoning", texts: ["hm"], encrypted: seal }],
      end: { type: "response-end", reason: "end", raw: undefined },
      error: undefined,
      usage: undefined,
    };
    const told = encodeResponsesResponse(answer, answerContext({ reasoning: wantsEverything }));
    const input = [...(told["output"] as JsonObject[]), { role: "user", content: "and?" }];
    const turn = decodeResponsesRequest({ model: "m", input }, requestContext());
    const { body } = encodeResponsesRequest(
      { ...turn, origin: "dialect_messages" },
      targetContext(),
    );
    expect(body["input"]).toContainEqual({
      type: "reasoning",
      id: "rs_9",
      summary: [{ type: "summary_text", text: "hm" }],
      encrypted_content: "gAAA",
    });
  });
});

function wordsOf({ role, parts }: { role: string; parts: readonly object[] }): unknown {
  return { role, parts: JSON.parse(JSON.stringify(parts), withoutPlaces) };
}

function withoutPlaces(key: string, value: unknown): unknown {
  return ["path", "sourcePath", "argumentsPath"].includes(key) ? undefined : value;
}

/** Counts that were not told are told as none, since clients demand them; a cut has one name here. */
function asTold(answer: NeutralResponse): NeutralResponse {
  const { usage, end, parts } = answer;
  const counted = { cacheRead: 0, cacheWrite: 0, ...defined(usage ?? {}) };
  const reasoning = Math.min(usage?.reasoning ?? 0, usage?.output ?? 0);
  const hasCalls = parts.some(({ type }) => type === "tool-call");
  const isWhole = end?.reason === "end" || end?.reason === "tool-calls";
  const reason = hasCalls ? "tool-calls" : "end";
  const told =
    end === undefined || !isWhole ? end : { ...end, reason: reason as typeof end.reason };
  return { ...answer, usage: { ...counted, reasoning }, end: told };
}

function defined<Value extends object>(value: Value): Partial<Value> {
  return JSON.parse(JSON.stringify(value));
}

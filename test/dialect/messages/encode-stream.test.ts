import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkMessagesStream } from "../../../src/conformance/grammar/messages.ts";
import { messagesCodec } from "../../../src/dialect/messages/codec.ts";
import {
  neutralResponseToEvents,
  neutralEventsToResponse,
  type NeutralResponse,
} from "../../../src/dialect/neutral-response.ts";
import type { NeutralEvent } from "../../../src/dialect/neutral-event.ts";
import type { EncryptedReasoning, NeutralRequest } from "../../../src/dialect/neutral-request.ts";
import { parseEventStreamText } from "../../../src/platform/sse/read-events.ts";
import { answerContext } from "../../support/codec-contexts.ts";
import { officialMessage } from "../../support/official-messages.ts";
import { someEvents } from "../arbitrary-request.ts";

const seals: readonly EncryptedReasoning[] = [
  { dialect: "dialect_messages", kind: "thinking", signature: "sig==" },
  { dialect: "dialect_messages", kind: "redacted", data: "opaque==" },
  { dialect: "dialect_responses", kind: "encrypted", id: "rs_1", encryptedContent: "enc==" },
  { dialect: "dialect_chat", kind: "plain" },
];

function written(events: Iterable<NeutralEvent>, turn: Partial<NeutralRequest> = {}): string {
  const encoder = messagesCodec.encodeStream(answerContext(turn));
  return [...events].map((event) => encoder.push(event)).join("");
}

function blocksOf(stream: string): readonly unknown[] {
  return parseEventStreamText(stream)
    .map(({ data }) => JSON.parse(data) as { type: string; content_block?: unknown })
    .filter(({ type }) => type === "content_block_start")
    .map(({ content_block: block }) => block);
}

/** Whatever is streamed is right by the grammar, and adds up to the whole answer. */
async function expectEqualForms(
  events: readonly NeutralEvent[],
  turn: Partial<NeutralRequest> = {},
) {
  const stream = written(events, turn);
  expect(checkMessagesStream(parseEventStreamText(stream))).toEqual([]);
  const whole = messagesCodec.encodeResponse(neutralEventsToResponse(events), answerContext(turn));
  expect(await officialMessage(stream)).toEqual(whole);
  return whole;
}

function delta(index: number, type: "text" | "arguments", text: string): NeutralEvent {
  return { type: "part-delta", index, delta: { type, text } };
}

function call(index: number, id: string): NeutralEvent {
  return {
    type: "part-start",
    index,
    part: { type: "tool-call", kind: "function", id, name: `tool_${id}` },
  };
}

const start: NeutralEvent = { type: "response-start" };
const calls: NeutralEvent = { type: "response-end", reason: "tool-calls", raw: "tool_calls" };
const natural: NeutralEvent = { type: "response-end", reason: "end", raw: "stop" };
const end = (index: number): NeutralEvent => ({ type: "part-end", index });

const noCaches = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

describe("encodeStream()", () => {
  it("[stream.to-messages] a stream is right by the grammar and adds up in the official client", async () => {
    const whole = await expectEqualForms([
      start,
      { type: "part-start", index: 0, part: { type: "text" } },
      delta(0, "text", "hel"),
      delta(0, "text", "lo"),
      end(0),
      { type: "usage", usage: { input: 9, output: 2 } },
      natural,
    ]);
    expect(whole).toMatchObject({
      id: "msg_01k0000000000000000000test",
      model: "custom/lab/model",
      content: [{ type: "text", text: "hello" }],
      stop_reason: "end_turn",
      usage: { input_tokens: 9, output_tokens: 2 },
    });
  });

  it("[stream.grammar] gives one start and one stop", () => {
    const names = parseEventStreamText(written([start, natural])).map(({ name }) => name);
    expect(names).toEqual(["message_start", "message_delta", "message_stop"]);
  });

  it("[function.interleaved] keeps interleaved arguments of two calls apart", async () => {
    const whole = await expectEqualForms([
      start,
      call(0, "a"),
      call(1, "b"),
      delta(0, "arguments", '{"x":'),
      delta(1, "arguments", '{"y":'),
      delta(0, "arguments", '"1"}'),
      delta(1, "arguments", '"2"}'),
      end(0),
      end(1),
      calls,
    ]);
    expect(whole["content"]).toEqual([
      { type: "tool_use", id: "a", name: "tool_a", input: { x: "1" } },
      { type: "tool_use", id: "b", name: "tool_b", input: { y: "2" } },
    ]);
  });

  it("streams the first open part as it comes and keeps the others back", () => {
    const encoder = messagesCodec.encodeStream(answerContext());
    for (const event of [start, call(0, "a"), call(1, "b")]) encoder.push(event);
    expect(encoder.push(delta(0, "arguments", '{"x":1}'))).toContain("input_json_delta");
    expect(encoder.push(delta(1, "arguments", "{}"))).toBe("");
    expect(encoder.push(end(0))).toContain('"index":1');
  });

  it("does not close a block because its JSON would parse", () => {
    const encoder = messagesCodec.encodeStream(answerContext());
    for (const event of [start, call(0, "a"), call(1, "b")]) encoder.push(event);
    expect(encoder.push(delta(0, "arguments", "{}"))).not.toContain("content_block_stop");
  });

  it("[function.no-arguments] closes a call without arguments", async () => {
    const whole = await expectEqualForms([
      start,
      call(0, "a"),
      call(1, "b"),
      call(2, "c"),
      delta(0, "arguments", "{}"),
      delta(2, "arguments", '{"z":[]}'),
      end(0),
      end(1),
      end(2),
      calls,
    ]);
    expect(whole["content"]).toMatchObject([{ input: {} }, { input: {} }, { input: { z: [] } }]);
    expect(whole["stop_reason"]).toBe("tool_use");
  });

  it("[thought.again] a second thought is a block of its own", async () => {
    const think = (index: number): NeutralEvent[] => [
      { type: "part-start", index, part: { type: "reasoning" } },
      delta(index, "text", "hm"),
      end(index),
    ];
    const whole = await expectEqualForms([
      start,
      ...think(0),
      call(1, "a"),
      end(1),
      ...think(2),
      { type: "part-start", index: 3, part: { type: "text" } },
      delta(3, "text", "so"),
      end(3),
      natural,
    ]);
    const types = (whole["content"] as { type: string }[]).map(({ type }) => type);
    expect(types).toEqual(["thinking", "tool_use", "thinking", "text"]);
  });

  it("[thought.first] gives no block for an empty text", () => {
    const stream = written([
      start,
      { type: "part-start", index: 0, part: { type: "text" } },
      delta(0, "text", ""),
      end(0),
      { type: "part-start", index: 1, part: { type: "reasoning" } },
      delta(1, "text", "hm"),
      end(1),
      natural,
    ]);
    expect(blocksOf(stream)).toEqual([{ type: "thinking", thinking: "", signature: "" }]);
  });

  it("gives redacted thinking whole, in the start of its block", async () => {
    const stream = written([
      start,
      { type: "part-start", index: 0, part: { type: "reasoning" } },
      {
        type: "part-delta",
        index: 0,
        delta: {
          type: "encrypted-reasoning",
          seal: { dialect: "dialect_messages", kind: "redacted", data: "zz==" },
        },
      },
      end(0),
      natural,
    ]);
    expect(blocksOf(stream)).toEqual([{ type: "redacted_thinking", data: "zz==" }]);
  });

  it("[thought.omitted] thinking that is to be omitted has no text but is signed", async () => {
    const reasoning = {
      path: "thinking",
      mode: "adaptive",
      effort: undefined,
      budgetTokens: undefined,
      summary: "omitted",
      wantsEncrypted: true,
    } as const;
    const whole = await expectEqualForms(
      [
        start,
        { type: "part-start", index: 0, part: { type: "reasoning" } },
        delta(0, "text", "secret"),
        end(0),
        natural,
      ],
      { reasoning },
    );
    expect(whole["content"]).toEqual([
      { type: "thinking", thinking: "", signature: expect.stringMatching(/^cw1\./) },
    ]);
  });

  it("[sum.one-delta] tells reason and usage in one message_delta, the truth over the estimate", async () => {
    const stream = written([
      start,
      { type: "usage", usage: { input: 7, cacheRead: 2000 } },
      { type: "usage", usage: { cacheWrite: 300, output: 50, reasoning: 30 } },
      natural,
    ]);
    const deltas = parseEventStreamText(stream).filter(({ name }) => name === "message_delta");
    expect(deltas).toHaveLength(1);
    expect((await officialMessage(stream)).usage).toEqual({
      input_tokens: 7,
      cache_read_input_tokens: 2000,
      cache_creation_input_tokens: 300,
      output_tokens: 50,
      output_tokens_details: { thinking_tokens: 30 },
    });
  });

  it("estimates the input at the start, and counts no caches that nobody told of", () => {
    const [first] = parseEventStreamText(written([start]));
    const { message } = JSON.parse(first?.data ?? "") as { message: { usage: unknown } };
    expect(message.usage).toEqual({ ...noCaches, input_tokens: 11, output_tokens: 0 });
  });

  it("[sum.stream-options] estimates the output of an upstream that tells none, streamed and whole", async () => {
    const whole = await expectEqualForms([
      start,
      { type: "part-start", index: 0, part: { type: "text" } },
      delta(0, "text", "twelve chars"),
      end(0),
      natural,
    ]);
    expect(whole["usage"]).toEqual({ ...noCaches, input_tokens: 11, output_tokens: 3 });
  });

  it("relays truncated arguments as they are; whole, it gives what they tell so far", async () => {
    const whole = await expectEqualForms([
      start,
      call(0, "a"),
      delta(0, "arguments", '{"path":"a.txt","lines":[1,2,3'),
      end(0),
      { type: "response-end", reason: "length", raw: "length" },
    ]);
    expect(whole).toMatchObject({
      content: [{ input: { path: "a.txt", lines: [1, 2] } }],
      stop_reason: "max_tokens",
    });
  });

  it("[ending.reset] [ending.closes] a failure is an error event and nothing that ends a message", async () => {
    const encoder = messagesCodec.encodeStream(answerContext());
    const begun = encoder.push(start);
    const frames = encoder.fail({
      status: 529,
      code: "overloaded",
      message: "too many",
      type: undefined,
      param: null,
      byoUrl: undefined,
      docUrl: "https://gateway.test/docs",
      requestId: "req_1",
    });
    const [event, ...rest] = parseEventStreamText(frames);
    expect(rest).toEqual([]);
    expect(event?.name).toBe("error");
    expect(JSON.parse(event?.data ?? "")).toMatchObject({
      type: "error",
      error: { type: "overloaded_error", message: "too many" },
    });
    await expect(officialMessage(begun + frames)).rejects.toMatchObject({
      type: "overloaded_error",
      errorCode: "overloaded",
    });
    expect(checkMessagesStream(parseEventStreamText(begun + frames))).toEqual([]);
  });

  it("every answer: right by the grammar, and the same streamed and whole", async () => {
    await fc.assert(
      fc.asyncProperty(someEvents({ seals, hasCitations: true }), async ({ events }) => {
        await expectEqualForms(events);
      }),
      { numRuns: 150 },
    );
  });

  it("two streams at once share nothing", () => {
    const answers = fc.sample(someEvents(), 2).map(({ events }) => events);
    const encoders = answers.map(() => messagesCodec.encodeStream(answerContext()));
    const texts = ["", ""];
    const longest = Math.max(...answers.map((events) => events.length));
    for (let place = 0; place < longest; place++) {
      for (const [number, events] of answers.entries()) {
        const event = events[place];
        if (event !== undefined) texts[number] += encoders[number]?.push(event) ?? "";
      }
    }
    expect(texts).toEqual(answers.map((events) => written(events)));
  });
});

describe("decode after encode", () => {
  it("gives the answer that was streamed, however it was cut", () => {
    fc.assert(
      fc.property(
        someEvents({ seals: seals.slice(0, 1), isChatOrder: true }),
        ({ answer, events }) => {
          const decoder = messagesCodec.decodeStream({ stop: [] });
          const read = parseEventStreamText(written(events)).flatMap((event) => [
            ...decoder.push(event),
          ]);
          expect(comparable(neutralEventsToResponse(read))).toEqual(comparable(answer));
        },
      ),
    );
  });

  it("gives the answer that was sent whole", () => {
    fc.assert(
      fc.property(someEvents({ seals: seals.slice(0, 1), isChatOrder: true }), ({ answer }) => {
        const body = messagesCodec.encodeResponse(answer, answerContext());
        expect(
          comparable(neutralEventsToResponse(messagesCodec.decodeResponse(body, { stop: [] }))),
        ).toEqual(comparable(neutralEventsToResponse(neutralResponseToEvents(answer))));
      }),
    );
  });
});

/** What the wire can tell: counts are clipped, thoughts joined and signed. */
function comparable({ parts, end, usage }: NeutralResponse) {
  return {
    reason: end?.reason,
    output: usage?.output,
    input: usage?.input,
    parts: parts.map((part) => {
      if (part.type === "reasoning") return part.texts.join("\n\n");
      return part.type === "tool-call"
        ? { name: part.name, id: part.id, input: JSON.parse(part.arguments) as unknown }
        : part.text;
    }),
  };
}

import { describe, expect, it } from "vitest";
import { checkChatStream } from "../../../src/conformance/grammar/chat.ts";
import { checkMessagesStream } from "../../../src/conformance/grammar/messages.ts";
import { checkResponsesStream } from "../../../src/conformance/grammar/responses.ts";
import { getDialectCodec } from "../../../src/dialect/codecs.ts";
import type { JsonObject } from "../../../src/dialect/json.ts";
import { emptyToolNameRestoreInfo } from "../../../src/dialect/restore-info.ts";
import { createToolCallRestorer } from "../../../src/dialect/restore-tool-calls.ts";
import type { NeutralEvent } from "../../../src/dialect/neutral-event.ts";
import { parseEventStreamText } from "../../../src/platform/sse/read-events.ts";
import { officialMessage } from "../../support/official-messages.ts";
import { accumulate as officialResponse } from "../responses/official-client.ts";
import { answerContext, chunk, readText, sse } from "./contexts.ts";
import { accumulate as officialCompletion } from "./official-client.ts";

type Dialect = Parameters<typeof getDialectCodec>[0];

interface Call {
  readonly name: string;
  readonly input: unknown;
}

/** What a client of any dialect has in the end. */
interface Outcome {
  readonly text: string;
  readonly calls: readonly Call[];
  readonly stop: string | null;
}

/** How a client of each dialect reads a stream, and what the grammar says of it. */
const callers: Readonly<
  Record<Dialect, { check: typeof checkChatStream; read: (stream: string) => Promise<Outcome> }>
> = {
  dialect_chat: { check: checkChatStream, read: readCompletion },
  dialect_messages: { check: checkMessagesStream, read: readMessage },
  dialect_responses: { check: checkResponsesStream, read: readResponse },
};

async function readCompletion(stream: string): Promise<Outcome> {
  const [choice] = (await officialCompletion(stream)).choices;
  const calls = (choice?.message.tool_calls ?? []).flatMap((call) =>
    call.type === "function" ? [callOf(call.function.name, call.function.arguments)] : [],
  );
  return { text: choice?.message.content ?? "", calls, stop: choice?.finish_reason ?? null };
}

async function readMessage(stream: string): Promise<Outcome> {
  const { content, stop_reason } = await officialMessage(stream);
  const calls = content.flatMap((block) =>
    block.type === "tool_use" ? [{ name: block.name, input: block.input }] : [],
  );
  const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  return { text: texts.join(""), calls, stop: stop_reason };
}

async function readResponse(stream: string): Promise<Outcome> {
  const { response } = await officialResponse(stream);
  const calls = response.output.flatMap((item) =>
    item.type === "function_call" ? [callOf(item.name, item.arguments)] : [],
  );
  return { text: response.output_text, calls, stop: response.status ?? null };
}

function callOf(name: string, text: string): Call {
  return { name, input: JSON.parse(text) as unknown };
}

/** The caller's stream for an upstream's. */
function transcoded(upstream: string, dialect: Dialect): string {
  const machine = createToolCallRestorer(emptyToolNameRestoreInfo, "01");
  const state = machine.start();
  const events: NeutralEvent[] = readText(upstream).flatMap((event) => machine.step(state, event));
  const encoder = getDialectCodec(dialect).encodeStream(
    answerContext({ origin: dialect, wantsStreamUsage: true }),
  );
  return events.map((event) => encoder.push(event)).join("");
}

function calls(...pieces: readonly JsonObject[]): JsonObject {
  return chunk({ tool_calls: pieces });
}

function piece(index: number | undefined, id: string, name: string, text: string): JsonObject {
  return { index, id, type: "function", function: { name, arguments: text } };
}

function more(index: number, text: string): JsonObject {
  return { index, function: { arguments: text } };
}

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const f = { name: "f", input: { x: 1 } };
const g = { name: "g", input: { y: [2] } };
const empty = { name: "g", input: {} };
const called = {
  dialect_chat: "tool_calls",
  dialect_messages: "tool_use",
  dialect_responses: "completed",
};
const natural = {
  dialect_chat: "stop",
  dialect_messages: "end_turn",
  dialect_responses: "completed",
};
const cut = {
  dialect_chat: "length",
  dialect_messages: "max_tokens",
  dialect_responses: "incomplete",
};

const upstreams: readonly [
  string,
  string,
  { text: string; calls: readonly Call[]; stop: Readonly<Record<Dialect, string>> },
][] = [
  [
    "[stream.to-messages] [stream.to-responses] hello",
    sse(
      chunk({ role: "assistant", content: "" }),
      chunk({ content: "hel" }),
      chunk({ content: "lo" }, "stop"),
      "[DONE]",
    ),
    { text: "hello", calls: [], stop: natural },
  ],
  [
    "nothing said",
    sse(chunk({ role: "assistant" }), chunk({}, "stop"), "[DONE]"),
    { text: "", calls: [], stop: natural },
  ],
  [
    "[function.sequential] two calls one behind the other",
    sse(
      chunk({ content: "a" }),
      calls(piece(0, "1", "f", '{"x":')),
      calls(more(0, "1}")),
      calls(piece(1, "2", "g", '{"y":[2]}')),
      chunk({}, "tool_calls"),
      "[DONE]",
    ),
    { text: "a", calls: [f, g], stop: called },
  ],
  [
    "[function.interleaved] two calls in turn",
    sse(
      calls(piece(0, "1", "f", "")),
      calls(piece(1, "2", "g", "")),
      calls(more(0, '{"x"')),
      calls(more(1, '{"y"')),
      calls(more(0, ":1}")),
      calls(more(1, ":[2]}")),
      chunk({}, "tool_calls"),
    ),
    { text: "", calls: [f, g], stop: called },
  ],
  [
    "[function.no-index] index 0 for both",
    sse(
      calls(piece(0, "1", "f", '{"x":1}')),
      calls(piece(0, "2", "g", '{"y":[2]}')),
      chunk({}, "stop"),
    ),
    { text: "", calls: [f, g], stop: called },
  ],
  [
    "[function.no-index] neither index nor id",
    sse(
      calls(piece(undefined, "", "f", '{"x":1}')),
      calls(piece(undefined, "", "g", '{"y":[2]}')),
      chunk({}, "stop"),
    ),
    { text: "", calls: [f, g], stop: called },
  ],
  [
    "[function.one-delta] [thought.one-chunk] everything in one chunk",
    sse(
      chunk(
        { reasoning_content: "hm", content: "a", tool_calls: [piece(0, "1", "f", '{"x":1}')] },
        "tool_calls",
        { usage },
      ),
    ),
    { text: "a", calls: [f], stop: called },
  ],
  [
    "[function.no-arguments] the last of three calls has no arguments",
    sse(
      calls(piece(0, "1", "f", '{"x":1}')),
      calls(piece(1, "2", "g", '{"y":[2]}')),
      calls(piece(2, "3", "g", "")),
      chunk({}, "tool_calls"),
    ),
    { text: "", calls: [f, g, empty], stop: called },
  ],
  [
    "[thought.again] reason, call, reason, text",
    sse(
      chunk({ reasoning: "r" }),
      calls(piece(0, "1", "f", '{"x":')),
      chunk({ reasoning: "s" }),
      calls(more(0, "1}")),
      chunk({ content: "t" }),
      chunk({}, "tool_calls"),
    ),
    { text: "t", calls: [f], stop: called },
  ],
  [
    "[function.ids-of-answer] ids that no dialect takes, and one for two calls",
    sse(
      calls(piece(0, "functions.f:0", "f", '{"x":1}'), piece(1, "functions.f:0", "g", "{}")),
      chunk({}, "tool_calls"),
    ),
    { text: "", calls: [f, empty], stop: called },
  ],
  [
    "[thought.first] thinks first",
    sse(
      chunk({ content: "", reasoning_content: "h" }),
      chunk({ reasoning_content: "m" }),
      chunk({ content: "a" }),
      chunk({}, "stop"),
    ),
    { text: "a", calls: [], stop: natural },
  ],
  [
    "[sum.one-delta] [ending.length] cut off by the cap, usage in a chunk of its own",
    sse(chunk({ content: "a" }), chunk({}, "length"), { choices: [], usage }, "[DONE]"),
    { text: "a", calls: [], stop: cut },
  ],
];

describe.each(Object.entries(callers))(
  "a chat upstream's stream for a caller of %s",
  (name, caller) => {
    const dialect = name as Dialect;

    it.each(upstreams)("%s", async (_, upstream, { text, calls, stop }) => {
      const stream = transcoded(upstream, dialect);
      expect(caller.check(parseEventStreamText(stream))).toEqual([]);
      expect(await caller.read(stream)).toEqual({ text, calls, stop: stop[dialect] });
    });

    it("[ending.none] what broke off has no end", () => {
      const stream = transcoded(sse(chunk({ content: "a" })), dialect);
      expect(caller.check(parseEventStreamText(stream))).not.toEqual([]);
      expect(stream).not.toMatch(/\[DONE\]|message_stop|response\.completed/);
    });
  },
);

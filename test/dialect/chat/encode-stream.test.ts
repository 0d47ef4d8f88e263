import { describe, expect, it } from "vitest";
import { checkChatStream } from "../../../src/conformance/grammar/chat.ts";
import { chatCodec } from "../../../src/dialect/chat/codec.ts";
import type { CallerFacingError } from "../../../src/dialect/dialect-error.ts";
import type { JsonObject } from "../../../src/dialect/json.ts";
import { neutralEventsToResponse } from "../../../src/dialect/neutral-response.ts";
import type {
  NeutralPartDelta,
  NeutralPartHead,
  NeutralEvent,
} from "../../../src/dialect/neutral-event.ts";
import { parseEventStreamText } from "../../../src/platform/sse/read-events.ts";
import { answerContext, decode, writeAll } from "./contexts.ts";
import { accumulate } from "./official-client.ts";

const start: NeutralEvent = { type: "response-start" };
const end: NeutralEvent = { type: "response-end", reason: "end", raw: undefined };
const withUsage = { wantsStreamUsage: true };

function part(
  index: number,
  head: NeutralPartHead,
  ...deltas: readonly NeutralPartDelta[]
): readonly NeutralEvent[] {
  return [
    { type: "part-start", index, part: head },
    ...deltas.map((delta): NeutralEvent => ({ type: "part-delta", index, delta })),
    { type: "part-end", index },
  ];
}

function text(words: string): NeutralPartDelta {
  return { type: "text", text: words };
}

function call(id: string, kind: "function" | "custom" = "function"): NeutralPartHead {
  return { type: "tool-call", kind, id, name: "f" };
}

function chunksOf(stream: string): readonly JsonObject[] {
  return parseEventStreamText(stream)
    .filter(({ data }) => data !== "[DONE]")
    .map(({ data }) => JSON.parse(data) as JsonObject);
}

function deltasOf(stream: string): readonly JsonObject[] {
  return chunksOf(stream).flatMap((chunk) =>
    (chunk["choices"] as readonly { delta: JsonObject }[]).map(({ delta }) => delta),
  );
}

const everything = [
  start,
  ...part(0, { type: "reasoning" }, text("hm"), { type: "next-summary" }, text("so")),
  ...part(1, { type: "text" }, text("Grüße\n"), text("👍")),
  ...part(2, call("a"), { type: "arguments", text: "{" }, { type: "arguments", text: "}" }),
  ...part(3, call("b", "custom"), { type: "arguments", text: "te" }),
  { type: "usage", usage: { input: 1, output: 2 } } as const,
  { type: "response-end", reason: "tool-calls", raw: "tool_use" } as const,
];

describe("a caller's stream", () => {
  it("[sum.last] keeps the grammar, with usage last", () => {
    for (const turn of [{}, withUsage]) {
      expect(checkChatStream(parseEventStreamText(writeAll(everything, turn)))).toEqual([]);
    }
    const stream = writeAll(everything, withUsage);
    expect(stream.endsWith('"total_tokens":3}}\n\ndata: [DONE]\n\n')).toBe(true);
    expect(writeAll(everything)).not.toContain('"usage"');
  });

  it("[stream.one-id] has one id, time and model on all its chunks", () => {
    const heads = chunksOf(writeAll(everything)).map(({ id, object, created, model }) =>
      JSON.stringify([id, object, created, model]),
    );
    expect([...new Set(heads)]).toEqual([
      '["chatcmpl-01jd0000000000000000000000","chat.completion.chunk",1700000000,"custom/lab/model"]',
    ]);
  });

  it("[function.first-delta] begins a call with index, id, type, name and empty arguments", () => {
    expect(deltasOf(writeAll(everything)).filter((delta) => "tool_calls" in delta)).toEqual([
      {
        tool_calls: [
          { index: 0, id: "a", type: "function", function: { name: "f", arguments: "" } },
        ],
      },
      { tool_calls: [{ index: 0, function: { arguments: "{" } }] },
      { tool_calls: [{ index: 0, function: { arguments: "}" } }] },
      { tool_calls: [{ index: 1, id: "b", type: "custom", custom: { name: "f", input: "" } }] },
      { tool_calls: [{ index: 1, custom: { input: "te" } }] },
    ]);
  });

  it("[function.indexes] counts calls from 0 behind a text", async () => {
    const added = await accumulate(writeAll(everything));
    expect(added.choices[0]?.message.tool_calls?.map(({ id }) => id)).toEqual(["a", "b"]);
  });

  it("thoughts are one text, as in the whole answer", () => {
    const said = deltasOf(writeAll(everything)).flatMap(({ reasoning_content: words }) =>
      typeof words === "string" ? [words] : [],
    );
    const whole = chatCodec.encodeResponse(
      neutralEventsToResponse(everything),
      answerContext(),
    ) as {
      readonly choices: readonly { readonly message: JsonObject }[];
    };
    expect(said.join("")).toBe("hm\n\nso");
    expect(whole.choices[0]?.message["reasoning_content"]).toBe("hm\n\nso");
  });

  it("sends all that was sealed at once, for clients keep the last piece only", () => {
    const signed = { dialect: "dialect_messages", kind: "thinking", signature: "s" } as const;
    const redacted = { dialect: "dialect_messages", kind: "redacted", data: "d" } as const;
    const stream = writeAll([
      start,
      ...part(0, { type: "reasoning" }, text("h"), text("m"), {
        type: "encrypted-reasoning",
        seal: signed,
      }),
      ...part(1, { type: "reasoning" }, { type: "encrypted-reasoning", seal: redacted }),
      end,
    ]);
    expect(deltasOf(stream).slice(1, -1)).toEqual([
      { reasoning_content: "h" },
      { reasoning_content: "m" },
      {
        reasoning_details: [
          {
            type: "thinking",
            text: "hm",
            signature: `cw1.${JSON.stringify({ encryptedReasoning: signed, texts: ["hm"] })}`,
          },
          {
            type: "redacted_thinking",
            data: `cw1.${JSON.stringify({ encryptedReasoning: redacted, texts: [] })}`,
          },
        ],
      },
    ]);
  });

  it("estimates a usage that was promised and never told", () => {
    const events = [start, ...part(0, { type: "text" }, text("12345678")), end];
    expect(chunksOf(writeAll(events, withUsage)).at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
    });
  });

  it("adds up partial usages", () => {
    const events: NeutralEvent[] = [
      start,
      { type: "usage", usage: { input: 5, output: 1 } },
      { type: "usage", usage: { output: 7 } },
      end,
    ];
    expect(chunksOf(writeAll(events, withUsage)).at(-1)).toMatchObject({
      usage: { prompt_tokens: 5, completion_tokens: 7 },
    });
  });

  it("tells all sources at once, before the end", async () => {
    const citation = {
      url: "u",
      title: "t",
      citedText: undefined,
      start: undefined,
      end: undefined,
    };
    const stream = writeAll([
      start,
      ...part(0, { type: "text" }, text("ab"), { type: "citation", citation }),
      ...part(1, { type: "text" }, text("cd"), { type: "citation", citation }),
      end,
    ]);
    const annotations = [
      {
        type: "url_citation",
        url_citation: { start_index: 0, end_index: 2, url: "u", title: "t" },
      },
      {
        type: "url_citation",
        url_citation: { start_index: 2, end_index: 4, url: "u", title: "t" },
      },
    ];
    expect(deltasOf(stream).at(-2)).toEqual({ annotations });
    expect((await accumulate(stream)).choices[0]?.message.annotations).toEqual(annotations);
  });

  it("tells why the model refused", async () => {
    const refused = { ...end, reason: "refusal", explanation: "unsafe" } as const;
    const added = await accumulate(writeAll([start, refused]));
    expect(added.choices[0]).toMatchObject({
      finish_reason: "content_filter",
      message: { refusal: "unsafe", content: null },
    });
    const both = await accumulate(
      writeAll([start, ...part(0, { type: "refusal" }, text("no")), refused]),
    );
    expect(both.choices[0]?.message.refusal).toBe("no");
  });

  it("tells probabilities to who asked for them", async () => {
    const token = { token: "a", logprob: -1, bytes: null, top_logprobs: [] };
    const events = [
      start,
      ...part(0, { type: "text" }, { ...text("a"), logprobs: [token] } as NeutralPartDelta),
      end,
    ];
    const logprobs = { path: "logprobs", value: { top: undefined } };
    expect(
      (await accumulate(writeAll(events, { logprobs }))).choices[0]?.logprobs?.content,
    ).toEqual([token]);
    expect(writeAll(events)).not.toContain("top_logprobs");
  });

  it("answers `functions` with a function_call", async () => {
    const { turn } = decode({
      model: "m",
      messages: [{ role: "user", content: "hi" }],
      functions: [{ name: "f" }],
    });
    const ended = { type: "response-end", reason: "tool-calls", raw: undefined } as const;
    const called = part(0, call("a"), { type: "arguments", text: "{}" });
    const added = await accumulate(writeAll([start, ...called, ended], turn));
    expect(added.choices[0]).toMatchObject({
      finish_reason: "function_call",
      message: { function_call: { name: "f", arguments: "{}" } },
    });
  });

  it("the same events give the same bytes", () => {
    expect(writeAll(everything, withUsage)).toBe(writeAll(everything, withUsage));
  });
});

describe("a caller's stream that fails", () => {
  const cut: CallerFacingError = {
    status: 502,
    code: "upstream_incomplete",
    message: "The upstream broke off.",
    type: undefined,
    param: null,
    byoUrl: undefined,
    docUrl: "http://x.test/docs",
    requestId: "req_1",
  };

  it("[ending.none] [ending.reset] ends with an error that the client raises, never with a finish", async () => {
    const encoder = chatCodec.encodeStream(answerContext());
    const begun = [start, ...part(0, { type: "text" }, text("a"))];
    const stream = begun.map((event) => encoder.push(event)).join("") + encoder.fail(cut);
    expect(checkChatStream(parseEventStreamText(stream))).toEqual([]);
    expect(stream).not.toContain("[DONE]");
    expect(stream).not.toContain('"finish_reason":"');
    await expect(accumulate(stream)).rejects.toMatchObject({ code: "upstream_incomplete" });
  });

  it("[ending.closes] an error that the upstream told writes nothing by itself", () => {
    const error = { type: undefined, code: undefined, message: "m" };
    expect(writeAll([{ type: "error", error }])).toBe("");
  });
});

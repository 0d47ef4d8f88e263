import { describe, expect, it } from "vitest";
import { chatCodec } from "../../../src/dialect/chat/codec.ts";
import type { JsonObject } from "../../../src/dialect/json.ts";
import type {
  NeutralResponsePart,
  NeutralResponse,
} from "../../../src/dialect/neutral-response.ts";
import type { NeutralStopReason } from "../../../src/dialect/neutral-event.ts";
import type { EncryptedReasoning, NeutralRequest } from "../../../src/dialect/neutral-request.ts";
import { plainTurn } from "../arbitrary-request.ts";
import { answerContext, decode } from "./contexts.ts";

interface ChatAnswer {
  readonly choices: readonly [
    { readonly message: JsonObject; readonly finish_reason: string; readonly logprobs: unknown },
  ];
  readonly usage?: unknown;
}

function answer(
  parts: readonly NeutralResponsePart[],
  rest: Partial<NeutralResponse> = {},
): NeutralResponse {
  const end = { type: "response-end", reason: "end", raw: undefined } as const;
  return { parts, end, error: undefined, usage: undefined, ...rest };
}

function write(whole: NeutralResponse, turn: Partial<NeutralRequest> = {}): ChatAnswer {
  return chatCodec.encodeResponse(whole, answerContext(turn)) as unknown as ChatAnswer;
}

function text(words: string): NeutralResponsePart {
  return { type: "text", text: words, logprobs: [], citations: [] };
}

function call(id: string, kind: "function" | "custom" = "function"): NeutralResponsePart {
  return { type: "tool-call", kind, id, name: "f", namespace: undefined, arguments: "{}" };
}

function thought(words: readonly string[], seal?: EncryptedReasoning): NeutralResponsePart {
  return { type: "reasoning", texts: words, encrypted: seal };
}

function ended(reason: NeutralStopReason): Pick<NeutralResponse, "end"> {
  return { end: { type: "response-end", reason, raw: "x" } };
}

describe("a whole answer for a caller", () => {
  it("[request.chat-to-messages] has our id, the caller's model and every field of the dialect", () => {
    expect(write(answer([text("hi")]), { model: "@lab/model" })).toEqual({
      id: "chatcmpl-01jd0000000000000000000000",
      object: "chat.completion",
      created: 1_700_000_000,
      model: "@lab/model",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "hi", refusal: null },
          logprobs: null,
          finish_reason: "stop",
        },
      ],
      usage: { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 },
    });
  });

  it("[function.call] calls without words have no content", () => {
    const [choice] = write(answer([call("a"), call("b", "custom")], ended("tool-calls"))).choices;
    expect(choice.finish_reason).toBe("tool_calls");
    expect(choice.message).toEqual({
      role: "assistant",
      content: null,
      refusal: null,
      tool_calls: [
        { id: "a", type: "function", function: { name: "f", arguments: "{}" } },
        { id: "b", type: "custom", custom: { name: "f", input: "{}" } },
      ],
    });
  });

  it("[function.cut-answer] keeps a call of an answer that was cut off", () => {
    const [choice] = write(answer([call("a")], ended("length"))).choices;
    expect(choice).toMatchObject({
      finish_reason: "length",
      message: { tool_calls: [{ id: "a" }] },
    });
  });

  it("joins texts without anything between them", () => {
    expect(write(answer([text("a"), call("a"), text("b")])).choices[0].message["content"]).toBe(
      "ab",
    );
  });

  it.each<[NeutralStopReason, string]>([
    ["end", "stop"],
    ["stop-sequence", "stop"],
    ["length", "length"],
    ["context-window", "length"],
    ["tool-calls", "tool_calls"],
    ["refusal", "content_filter"],
    ["pause", "length"],
    ["unknown", "stop"],
  ])(
    "[ending.reasons] tells an answer that ended by %s with the finish_reason %s",
    (reason, finish) => {
      expect(write(answer([text("a")], ended(reason))).choices[0].finish_reason).toBe(finish);
    },
  );

  it("tells why the model refused", () => {
    const end = {
      type: "response-end",
      reason: "refusal",
      raw: "refusal",
      explanation: "unsafe",
    } as const;
    expect(write(answer([], { end })).choices[0].message["refusal"]).toBe("unsafe");
    const refusal: NeutralResponsePart = {
      type: "refusal",
      text: "no",
      logprobs: [],
      citations: [],
    };
    expect(write(answer([refusal], { end })).choices[0].message["refusal"]).toBe("no");
  });

  it("tells probabilities to who asked for them", () => {
    const token = { token: "a", logprob: -1 };
    const said: NeutralResponsePart = { type: "text", text: "a", logprobs: [token], citations: [] };
    const logprobs = { path: "logprobs", value: { top: undefined } };
    expect(write(answer([said]), { logprobs }).choices[0].logprobs).toEqual({
      content: [token],
      refusal: null,
    });
    expect(write(answer([said])).choices[0].logprobs).toBeNull();
  });

  it("counts the offsets of sources in the joined text", () => {
    const citation = { url: "u", title: "t", citedText: undefined, start: 0, end: 1 };
    const known: NeutralResponsePart = {
      type: "text",
      text: "b👍",
      logprobs: [],
      citations: [citation],
    };
    const part: NeutralResponsePart = {
      ...known,
      citations: [{ ...citation, start: undefined, end: undefined }],
    };
    const offsets = (parts: readonly NeutralResponsePart[]) =>
      (write(answer(parts)).choices[0].message["annotations"] as readonly JsonObject[]).map(
        ({ url_citation }) => url_citation as JsonObject,
      );
    expect(offsets([text("a👍"), known])).toEqual([
      { url: "u", title: "t", start_index: 3, end_index: 4 },
    ]);
    expect(offsets([text("a👍"), part])).toMatchObject([{ start_index: 3, end_index: 6 }]);
  });

  it("[sum.to-chat] usage of a messages upstream", () => {
    const usage = { input: 7, cacheRead: 2000, cacheWrite: 300, output: 50, reasoning: 30 };
    expect(write(answer([text("a")], { usage })).usage).toEqual({
      prompt_tokens: 2307,
      completion_tokens: 50,
      total_tokens: 2357,
      prompt_tokens_details: { cached_tokens: 2000, cache_write_tokens: 300 },
      completion_tokens_details: { reasoning_tokens: 30 },
    });
  });

  it("leaves out of usage what is not known", () => {
    expect(write(answer([text("a")], { usage: { input: 1, output: 2 } })).usage).toEqual({
      prompt_tokens: 1,
      completion_tokens: 2,
      total_tokens: 3,
    });
  });

  it("answers `functions` with a function_call", () => {
    const { turn } = decode({
      model: "m",
      messages: [{ role: "user", content: "hi" }],
      functions: [{ name: "f", parameters: {} }],
    });
    const [choice] = write(answer([call("a")], ended("tool-calls")), turn).choices;
    expect(choice.finish_reason).toBe("function_call");
    expect(choice.message).toEqual({
      role: "assistant",
      content: null,
      refusal: null,
      function_call: { name: "f", arguments: "{}" },
    });
  });
});

describe("thoughts for a caller", () => {
  const signed: EncryptedReasoning = {
    dialect: "dialect_messages",
    kind: "thinking",
    signature: "s",
  };
  const redacted: EncryptedReasoning = { dialect: "dialect_messages", kind: "redacted", data: "d" };
  const encrypted: EncryptedReasoning = {
    dialect: "dialect_responses",
    kind: "encrypted",
    id: "rs_1",
    encryptedContent: "e",
  };

  it("[thought.replayed] text, and the signed thought to send back", () => {
    expect(write(answer([thought(["hm"], signed), text("a")])).choices[0].message).toEqual({
      role: "assistant",
      content: "a",
      refusal: null,
      reasoning_content: "hm",
      reasoning_details: [
        {
          type: "thinking",
          text: "hm",
          signature: `cw1.${JSON.stringify({ encryptedReasoning: signed, texts: ["hm"] })}`,
        },
      ],
    });
  });

  it("[thought.redacted] a redacted thought has no text", () => {
    const { message } = write(answer([thought([], redacted), text("a")])).choices[0];
    expect(message["reasoning_content"]).toBeUndefined();
    expect(message["reasoning_details"]).toEqual([
      {
        type: "redacted_thinking",
        data: `cw1.${JSON.stringify({ encryptedReasoning: redacted, texts: [] })}`,
      },
    ]);
  });

  it("several thoughts and summaries are one text", () => {
    const { message } = write(answer([thought(["a", "b"], encrypted), thought(["c"])])).choices[0];
    expect(message["reasoning_content"]).toBe("a\n\nb\n\nc");
    expect(message["reasoning_details"]).toHaveLength(1);
  });

  it("[thought.replayed] [thought.signature] comes back byte for byte", () => {
    const seals = [signed, redacted, encrypted];
    const parts = seals.map((seal) =>
      thought(seal.kind === "redacted" ? [] : ["Grüße ", "👍"], seal),
    );
    const { message } = write(answer([...parts, text("a")])).choices[0];
    const { turn, losses } = decode({
      model: plainTurn.model,
      messages: [{ role: "user", content: "q" }, message, { role: "user", content: "r" }],
    });
    const back = turn.messages[1]?.parts.filter(({ type }) => type === "reasoning");
    expect(back).toMatchObject(parts.map(({ type, ...rest }) => ({ type, ...rest })));
    expect(losses).toEqual([]);
  });
});

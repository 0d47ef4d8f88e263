import { describe, expect, it } from "vitest";
import { checkResponsesStream } from "../../../src/conformance/grammar/responses.ts";
import type { JsonObject } from "../../../src/dialect/json.ts";
import { parseEventStreamText } from "../../../src/platform/sse/read-events.ts";
import { chatStream, messagesStream, streamResponse, wholeResponse } from "./render-response.ts";
import { refusalOf } from "./decoding.ts";
import { accumulate, withoutHelpers } from "./official-client.ts";
import { transcode, type TranscodeOptions } from "./transcoding.ts";

const hello = { model: "lab/m", input: "hello" };

function toChat(body: JsonObject, options?: TranscodeOptions) {
  return transcode("dialect_responses", "dialect_chat", { ...hello, ...body }, options);
}

function toMessages(body: JsonObject, options?: TranscodeOptions) {
  return transcode("dialect_responses", "dialect_messages", { ...hello, ...body }, options);
}

/** What the official client makes of a stream that keeps the grammar. */
async function accumulated(stream: string) {
  expect(checkResponsesStream(parseEventStreamText(stream))).toEqual([]);
  const { response } = await accumulate(stream);
  return response;
}

const chatAnswer = (message: JsonObject, finish: string) => ({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "up",
  choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: finish }],
  usage: {
    prompt_tokens: 2307,
    completion_tokens: 50,
    total_tokens: 2357,
    prompt_tokens_details: { cached_tokens: 2000, cache_write_tokens: 300 },
    completion_tokens_details: { reasoning_tokens: 30 },
  },
});

const inclusiveUsage = {
  input_tokens: 2307,
  input_tokens_details: { cached_tokens: 2000, cache_write_tokens: 300 },
  output_tokens: 50,
  output_tokens_details: { reasoning_tokens: 30 },
  total_tokens: 2357,
};

const tool = { type: "function", name: "f", parameters: { type: "object", properties: {} } };

describe("a responses caller on a chat upstream", () => {
  it("[request.responses-to-chat] sends a system and a user message, and gets the whole object back", () => {
    const request = toChat({ instructions: "Be brief." });
    expect(request.encoded.body["messages"]).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "hello" },
    ]);
    const answer = wholeResponse("dialect_chat", chatAnswer({ content: "hi" }, "stop"), request);
    expect(answer).toMatchObject({
      object: "response",
      status: "completed",
      model: "lab/m",
      instructions: "Be brief.",
      output: [{ type: "message", content: [{ type: "output_text", text: "hi" }] }],
      usage: inclusiveUsage,
    });
  });

  it("[stream.to-responses] gets a stream that its client accepts", async () => {
    const stream = chatStream(
      [{ role: "assistant", content: "" }, { content: "h" }, { content: "i" }],
      "stop",
    );
    const response = await accumulated(
      streamResponse("dialect_chat", stream, toChat({ stream: true })),
    );
    expect(response).toMatchObject({ status: "completed", output_text: "hi" });
    expect(response.usage).toMatchObject({ input_tokens: 10, output_tokens: 5, total_tokens: 15 });
  });

  it("[function.namespace] calls a tool of a namespace by a flat name, and gets the namespace back", () => {
    const tools = [
      { type: "namespace", name: "fs", description: "", tools: [{ ...tool, name: "read" }] },
    ];
    const request = toChat({ tools });
    expect(request.encoded.body["tools"]).toMatchObject([{ function: { name: "fs__read" } }]);
    const call = {
      id: "call_1",
      type: "function",
      function: { name: "fs__read", arguments: "{}" },
    };
    const answer = wholeResponse(
      "dialect_chat",
      chatAnswer({ content: null, tool_calls: [call] }, "tool_calls"),
      request,
    );
    expect(answer["output"]).toMatchObject([
      { type: "function_call", call_id: "call_1", name: "read", namespace: "fs" },
    ]);
  });

  it("gets the text of a custom tool that went as a function", async () => {
    const request = toChat({ tools: [{ type: "custom", name: "patch" }], stream: true });
    const pieces = ['{"inp', 'ut": "*** Be', "gin\\n", '🙂"}'];
    const stream = chatStream(
      [
        {
          tool_calls: [
            {
              index: 0,
              id: "call_1",
              type: "function",
              function: { name: "patch", arguments: "" },
            },
          ],
        },
        ...pieces.map((text) => ({ tool_calls: [{ index: 0, function: { arguments: text } }] })),
      ],
      "tool_calls",
    );
    const response = await accumulated(streamResponse("dialect_chat", stream, request));
    expect(response.output).toMatchObject([
      { type: "custom_tool_call", name: "patch", call_id: "call_1", input: "*** Begin\n🙂" },
    ]);
  });

  it.each([
    ["tools[0].type", { tools: [{ type: "code_interpreter", container: { type: "auto" } }] }],
    ["tools[1].type", { tools: [tool, { type: "web_search" }], tool_choice: "required" }],
    [
      "input[1].type",
      {
        input: [
          { role: "user", content: "a" },
          { type: "computer_call_output", call_id: "c", output: {} },
        ],
      },
    ],
    [
      "input[1]",
      {
        input: [
          { role: "user", content: "a" },
          { type: "compaction", encrypted_content: "x" },
        ],
      },
    ],
    ["input[0].content[0].type", { input: [{ role: "user", content: [{ type: "input_audio" }] }] }],
    ["tool_choice", { tools: [tool], tool_choice: { type: "mcp", server_label: "x" } }],
  ])("[function.vendor-tools] is refused at %s what only the vendor has", (param, change) => {
    expect(refusalOf(() => toChat(change))).toBe(param);
    expect(refusalOf(() => toMessages(change))).toBe(param);
  });

  it("[request.schema-form] asks for a schema in chat's nested form", () => {
    const schema = { type: "object", properties: {} };
    const { encoded } = toChat({
      text: { format: { type: "json_schema", name: "thing", schema, strict: true } },
    });
    expect(encoded.body["response_format"]).toEqual({
      type: "json_schema",
      json_schema: { name: "thing", schema, strict: true },
    });
  });

  it("asks for probabilities, and gets them with their bytes", async () => {
    const request = toChat({
      include: ["message.output_text.logprobs"],
      top_logprobs: 1,
      stream: true,
    });
    expect(request.encoded.body).toMatchObject({ logprobs: true, top_logprobs: 1 });
    const content = [{ token: "hi", logprob: -0.1, bytes: null, top_logprobs: [] }];
    const chunk = {
      id: "c",
      object: "chat.completion.chunk",
      created: 1,
      model: "up",
      choices: [{ index: 0, delta: { content: "hi" }, logprobs: { content }, finish_reason: null }],
    };
    const stream = `data: ${JSON.stringify(chunk)}\n\n${chatStream([], "stop")}`;
    const response = await accumulated(streamResponse("dialect_chat", stream, request));
    expect(withoutHelpers(response.output)).toMatchObject([
      {
        content: [
          { logprobs: [{ token: "hi", bytes: [104, 105], logprob: -0.1, top_logprobs: [] }] },
        ],
      },
    ]);
  });

  it("[ending.length] hears that the answer was cut, with all of it", async () => {
    const stream = chatStream([{ role: "assistant", content: "so" }], "length");
    const response = await accumulated(
      streamResponse("dialect_chat", stream, toChat({ stream: true })),
    );
    expect(response).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      output_text: "so",
    });
  });

  it("[ending.reasons] hears that the vendor refused", () => {
    const answer = wholeResponse(
      "dialect_chat",
      chatAnswer({ content: null, refusal: "No." }, "stop"),
      toChat({}),
    );
    expect(answer).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "content_filter" },
      output: [{ content: [{ type: "refusal", refusal: "No." }] }],
    });
  });

  it("[function.interleaved] gets two calls whose arguments came in turns", async () => {
    const head = (index: number) => ({
      tool_calls: [
        { index, id: `call_${index}`, type: "function", function: { name: "f", arguments: "" } },
      ],
    });
    const piece = (index: number, text: string) => ({
      tool_calls: [{ index, function: { arguments: text } }],
    });
    const stream = chatStream(
      [head(0), head(1), piece(0, '{"a"'), piece(1, '{"b"'), piece(0, ":1}"), piece(1, ":2}")],
      "tool_calls",
    );
    const response = await accumulated(
      streamResponse("dialect_chat", stream, toChat({ tools: [tool], stream: true })),
    );
    expect(response.output).toMatchObject([
      { call_id: "call_0", arguments: '{"a":1}' },
      { call_id: "call_1", arguments: '{"b":2}' },
    ]);
  });
});

describe("a responses caller on a messages upstream", () => {
  it("[request.responses-to-messages] sends system and a user turn with a cap, and gets the whole object back", () => {
    const request = toMessages({ instructions: "Be brief." });
    expect(request.encoded.body).toMatchObject({
      max_tokens: 8192,
      system: [{ type: "text", text: "Be brief." }],
      messages: [{ role: "user" }],
    });
    const answer = wholeResponse(
      "dialect_messages",
      {
        id: "m",
        type: "message",
        role: "assistant",
        model: "up",
        content: [{ type: "text", text: "hi" }],
        stop_reason: "end_turn",
        stop_sequence: null,
        usage: {
          input_tokens: 7,
          cache_read_input_tokens: 2000,
          cache_creation_input_tokens: 300,
          output_tokens: 50,
          output_tokens_details: { thinking_tokens: 30 },
        },
      },
      request,
    );
    expect(answer).toMatchObject({ status: "completed", usage: inclusiveUsage });
  });

  it("[thought.item] [sum.to-chat] gets thoughts, text and a call as items in order, and the input as one count", async () => {
    const request = toMessages({
      tools: [tool],
      reasoning: { effort: "high", summary: "auto" },
      max_output_tokens: 30_000,
      stream: true,
    });
    const stream = messagesStream(
      [
        [
          { type: "thinking", thinking: "", signature: "" },
          { type: "thinking_delta", thinking: "hm" },
          { type: "signature_delta", signature: "sig" },
        ],
        [
          { type: "text", text: "" },
          { type: "text_delta", text: "hi" },
        ],
        [
          { type: "tool_use", id: "t1", name: "f", input: {} },
          { type: "input_json_delta", partial_json: '{"a":' },
          { type: "input_json_delta", partial_json: "1}" },
        ],
      ],
      "tool_use",
    );
    const response = await accumulated(streamResponse("dialect_messages", stream, request));
    expect(withoutHelpers(response.output)).toMatchObject([
      { type: "reasoning", summary: [{ text: "hm" }] },
      { type: "message", content: [{ text: "hi" }] },
      { type: "function_call", call_id: "t1", arguments: '{"a":1}' },
    ]);
    expect(response.usage).toEqual(inclusiveUsage);
  });

  it("[function.no-arguments] gets the arguments of a call without any as an empty object", async () => {
    const stream = messagesStream(
      [[{ type: "tool_use", id: "t1", name: "f", input: {} }]],
      "tool_use",
    );
    const request = toMessages({ tools: [tool], stream: true });
    const response = await accumulated(streamResponse("dialect_messages", stream, request));
    expect(response.output).toMatchObject([{ type: "function_call", arguments: "{}" }]);
  });

  it.each([
    ["thinking", { type: "thinking", thinking: "hm", signature: "sig" }],
    ["redacted", { type: "redacted_thinking", data: "opaque" }],
  ])(
    "[thought.sealed] brings %s thoughts of a call back in the next turn, byte for byte",
    (_kind, block) => {
      const body = {
        tools: [tool],
        store: false,
        include: ["reasoning.encrypted_content"],
        reasoning: { effort: "high" },
        max_output_tokens: 30_000,
      };
      const first = toMessages(body);
      const answer = wholeResponse(
        "dialect_messages",
        {
          type: "message",
          role: "assistant",
          content: [block, { type: "tool_use", id: "t1", name: "f", input: {} }],
          stop_reason: "tool_use",
          usage: { input_tokens: 1, output_tokens: 1 },
        },
        first,
      );
      const output = answer["output"] as readonly JsonObject[];
      expect(output[0]).toMatchObject({ type: "reasoning", summary: [] });
      const second = toMessages({
        ...body,
        input: [
          { role: "user", content: "hello" },
          ...output,
          { type: "function_call_output", call_id: "t1", output: "ok" },
        ],
      });
      expect(second.encoded.body["messages"]).toMatchObject([
        { role: "user" },
        { role: "assistant", content: [block, { type: "tool_use", id: "t1" }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "t1" }] },
      ]);
      expect(second.warnings).toEqual([]);
    },
  );

  it("[thought.sealed] sends a summary that it cannot trust neither as thought nor as text", () => {
    const { encoded, warnings: losses } = toMessages({
      input: [
        { role: "user", content: "a" },
        { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "SECRET" }] },
        { role: "assistant", content: "b" },
        { role: "user", content: "c" },
      ],
    });
    expect(JSON.stringify(encoded.body)).not.toContain("SECRET");
    expect(losses).toEqual([{ path: "input[1]", action: "dropped", reason: "foreign" }]);
  });

  it("[request.files] sends files as documents with their title", () => {
    const { encoded } = toMessages({
      input: [
        {
          role: "user",
          content: [
            {
              type: "input_file",
              filename: "a.pdf",
              file_data: "data:application/pdf;base64,AAAA",
            },
            { type: "input_file", filename: "b.pdf", file_url: "https://a.example/b.pdf" },
            { type: "input_file", filename: "c.txt", file_data: "data:text/plain;base64,d29yZHM=" },
          ],
        },
      ],
    });
    expect(encoded.body["messages"]).toMatchObject([
      {
        content: [
          {
            type: "document",
            title: "a.pdf",
            source: { type: "base64", media_type: "application/pdf", data: "AAAA" },
          },
          { type: "document", source: { type: "url", url: "https://a.example/b.pdf" } },
          { type: "document", title: "c.txt", source: { type: "text", data: "words" } },
        ],
      },
    ]);
  });

  it("gets a refusal with its reason", async () => {
    const stream = messagesStream(
      [
        [
          { type: "text", text: "" },
          { type: "text_delta", text: "I " },
        ],
      ],
      "refusal",
    );
    const response = await accumulated(
      streamResponse("dialect_messages", stream, toMessages({ stream: true })),
    );
    expect(response).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "content_filter" },
    });
  });
});

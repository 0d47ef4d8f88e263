import { describe, expect, it } from "vitest";
import { checkChatStream } from "../../../src/conformance/grammar/chat.ts";
import { checkMessagesStream } from "../../../src/conformance/grammar/messages.ts";
import type { JsonObject } from "../../../src/dialect/json.ts";
import { parseEventStreamText } from "../../../src/platform/sse/read-events.ts";
import { streamResponse, wholeResponse } from "./render-response.ts";
import { transcode } from "./transcoding.ts";
import { vendorEvents, vendorOutput, vendorResponse, vendorStream } from "./vendor-stream.ts";

const hello = { model: "lab/m", messages: [{ role: "user", content: "hello" }] };

const fromChat = (body: JsonObject = {}) =>
  transcode("dialect_chat", "dialect_responses", { ...hello, reasoning_effort: "high", ...body });

const fromMessages = (body: JsonObject = {}) =>
  transcode("dialect_messages", "dialect_responses", {
    ...hello,
    max_tokens: 9000,
    thinking: { type: "adaptive" },
    ...body,
  });

/** The vendor's answer without the call of free text, which only chat callers can get. */
const output = vendorOutput.slice(0, 4);
const answer = vendorResponse({ output });

describe("a chat caller on a responses upstream", () => {
  it("gets text, thoughts, calls, sources and inclusive usage; nothing of the vendor's own tools", () => {
    const told = wholeResponse("dialect_responses", answer, fromChat());
    expect(told).toMatchObject({
      object: "chat.completion",
      choices: [
        {
          finish_reason: "tool_calls",
          message: {
            content: "Grüße 🙂",
            refusal: "Not more.",
            tool_calls: [
              { id: "call_up_1", function: { name: "look_up", arguments: '{"q":"ключ"}' } },
            ],
            annotations: [
              { type: "url_citation", url_citation: { url: "https://news.example/a" } },
            ],
          },
        },
      ],
      usage: {
        prompt_tokens: 2307,
        prompt_tokens_details: { cached_tokens: 2000, cache_write_tokens: 300 },
        completion_tokens: 50,
        completion_tokens_details: { reasoning_tokens: 30 },
        total_tokens: 2357,
      },
    });
    expect(JSON.stringify(told)).not.toContain("web_search");
  });

  it("gets a stream in the grammar of chat, with ids of ours throughout", () => {
    const stream = streamResponse(
      "dialect_responses",
      vendorStream(vendorEvents),
      fromChat({ stream: true, stream_options: { include_usage: true } }),
    );
    expect(checkChatStream(parseEventStreamText(stream))).toEqual([]);
    expect(stream).not.toMatch(/resp_up|msg_up|fc_up|shiny|web_search/);
  });

  it("[thought.replayed] sends what was thought back to the vendor with its call", () => {
    const [choice] = wholeResponse("dialect_responses", answer, fromChat())["choices"] as {
      message: JsonObject;
    }[];
    const second = fromChat({
      messages: [
        ...hello.messages,
        choice?.message,
        { role: "tool", tool_call_id: "call_up_1", content: "found" },
      ],
    });
    expect(second.encoded.body["input"]).toContainEqual({
      type: "reasoning",
      id: "rs_up",
      summary: [
        { type: "summary_text", text: "First. " },
        { type: "summary_text", text: "Second." },
      ],
      encrypted_content: "gAAAA-secret",
    });
  });
});

describe("a messages caller on a responses upstream", () => {
  it("gets blocks in order, and its own partition of the input", () => {
    const told = wholeResponse("dialect_responses", answer, fromMessages());
    expect(told).toMatchObject({
      type: "message",
      stop_reason: "tool_use",
      usage: {
        input_tokens: 7,
        cache_read_input_tokens: 2000,
        cache_creation_input_tokens: 300,
        output_tokens: 50,
      },
    });
    const blocks = told["content"] as readonly JsonObject[];
    expect(blocks.map(({ type }) => type)).toEqual(["thinking", "text", "text", "tool_use"]);
    expect(blocks.at(-1)).toMatchObject({ id: "call_up_1", name: "look_up", input: { q: "ключ" } });
  });

  it("gets a stream in the grammar of messages", () => {
    const events = vendorEvents.filter((event) => event["output_index"] !== 4).slice(0, -1);
    const stream = streamResponse(
      "dialect_responses",
      vendorStream([...events, { type: "response.completed", response: answer }]),
      fromMessages({ stream: true }),
    );
    expect(checkMessagesStream(parseEventStreamText(stream))).toEqual([]);
  });

  it("sends what was thought back to the vendor with its call", () => {
    const { content } = wholeResponse("dialect_responses", answer, fromMessages());
    const result = { type: "tool_result", tool_use_id: "call_up_1", content: "found" };
    const second = fromMessages({
      messages: [
        ...hello.messages,
        { role: "assistant", content },
        { role: "user", content: [result] },
      ],
    });
    expect(second.encoded.body["input"]).toContainEqual(
      expect.objectContaining({
        type: "reasoning",
        id: "rs_up",
        encrypted_content: "gAAAA-secret",
      }),
    );
  });
});

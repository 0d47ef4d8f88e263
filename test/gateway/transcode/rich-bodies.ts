import type { Body } from "./pairs.ts";

const parameters = {
  type: "object",
  properties: { city: { type: "string", enum: ["Oslo"] } },
  required: ["city"],
};
const image = "data:image/png;base64,AAAA";

/** What an agent sends in the middle of its work; every upstream can take it. */
export const richBodies: Readonly<Record<"chat" | "messages" | "responses", Body>> = {
  chat: {
    messages: [
      { role: "system", content: "Be brief." },
      {
        role: "user",
        name: "ada",
        content: [
          { type: "text", text: "Look." },
          { type: "image_url", image_url: { url: image, detail: "low" } },
        ],
      },
      {
        role: "assistant",
        content: "Hm.",
        reasoning_content: "I think.",
        tool_calls: [
          {
            id: "call_1",
            type: "function",
            function: { name: "weather", arguments: '{"city":"Oslo"}' },
          },
        ],
      },
      { role: "tool", tool_call_id: "call_1", content: [{ type: "text", text: "rain" }] },
      { role: "user", content: "Go on." },
    ],
    tools: [{ type: "function", function: { name: "weather", description: "d", parameters } }],
    tool_choice: { type: "function", function: { name: "weather" } },
    response_format: {
      type: "json_schema",
      json_schema: { name: "thing", schema: parameters, strict: true },
    },
    metadata: { a: "1" },
    reasoning_effort: "low",
    service_tier: "auto",
    stream_options: { include_usage: true },
    prediction: { type: "content", content: "x" },
    stream: true,
  },
  messages: {
    max_tokens: 2000,
    system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "Look." },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
          { type: "image", source: { type: "url", url: "https://a.example/b.png" } },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "text", text: "Hm." },
          { type: "tool_use", id: "call_1", name: "weather", input: { city: "Oslo" } },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "call_1",
            content: [{ type: "text", text: "rain" }],
          },
          { type: "text", text: "Go on." },
        ],
      },
    ],
    tools: [{ name: "weather", description: "d", input_schema: parameters }],
    tool_choice: { type: "tool", name: "weather" },
    metadata: { user_id: "u" },
    output_config: { effort: "low" },
    service_tier: "auto",
    stream: true,
  },
  responses: {
    instructions: "Be brief.",
    input: [
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_text", text: "Look." },
          { type: "input_image", image_url: image, detail: "low" },
        ],
      },
      { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "I think." }] },
      {
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "Hm.", annotations: [] }],
      },
      {
        type: "function_call",
        call_id: "call_1",
        name: "weather",
        arguments: '{"city":"Oslo"}',
        status: "completed",
      },
      { type: "function_call_output", call_id: "call_1", output: "rain" },
      { type: "message", role: "user", content: "Go on." },
    ],
    tools: [{ type: "function", name: "weather", description: "d", parameters, strict: false }],
    tool_choice: { type: "function", name: "weather" },
    text: { format: { type: "json_schema", name: "thing", schema: parameters }, verbosity: "low" },
    reasoning: { effort: "low", summary: "auto" },
    include: ["reasoning.encrypted_content"],
    metadata: { a: "1" },
    service_tier: "auto",
    truncation: "auto",
    store: false,
    stream: true,
  },
};

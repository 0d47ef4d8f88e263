import type { DialectSamples, SampleEvent } from "./dialect-samples.ts";

const schema = { type: "object", properties: { q: { type: "string" } }, required: ["q"] };
const weather = { name: "weather", description: "Looks.", parameters: schema, strict: true };
const call = { id: "call_1", type: "function", function: { name: "weather", arguments: "{}" } };
const usage = {
  prompt_tokens: 9,
  completion_tokens: 4,
  total_tokens: 13,
  prompt_tokens_details: { cached_tokens: 2 },
  completion_tokens_details: { reasoning_tokens: 1 },
};
const head = { id: "chatcmpl-1", created: 1_700_000_000, model: "m", service_tier: "default" };

const whole = (message: object, finish_reason: string) => ({
  ...head,
  object: "chat.completion",
  choices: [
    { index: 0, message: { role: "assistant", ...message }, finish_reason, logprobs: null },
  ],
  usage,
});

const chunk = (delta: object, finish_reason: string | null = null): SampleEvent => ({
  data: {
    ...head,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason }],
  },
});

const last: readonly SampleEvent[] = [
  { data: { ...head, object: "chat.completion.chunk", choices: [], usage } },
  { data: "[DONE]" },
];

/** Honest chat completions. */
export const chat: DialectSamples = {
  path: "/chat/completions",
  requests: [
    { messages: [{ role: "user", content: "hi" }] },
    {
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: [{ type: "text", text: "What is this?" }] },
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: "call_1", content: "rain" },
      ],
      tools: [{ type: "function", function: weather }],
      tool_choice: { type: "function", function: { name: "weather" } },
      parallel_tool_calls: false,
    },
    {
      messages: [
        {
          role: "user",
          content: [
            { type: "image_url", image_url: { url: "data:image/png;base64,AAAA", detail: "low" } },
            {
              type: "file",
              file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AA" },
            },
            { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } },
          ],
        },
      ],
      response_format: { type: "json_schema", json_schema: { name: "a", schema, strict: true } },
      stream_options: { include_usage: true },
      max_completion_tokens: 50,
      temperature: 0.5,
      top_p: 0.9,
      stop: ["x"],
      seed: 7,
      logprobs: true,
      top_logprobs: 2,
      reasoning_effort: "low",
      metadata: { a: "b" },
      user: "u",
      n: 1,
      service_tier: "auto",
      prompt_cache_key: "k",
    },
    {
      messages: [
        { role: "developer", content: "d", name: "n" },
        { role: "user", content: "u" },
        { role: "assistant", content: "a", refusal: null, reasoning_content: "r" },
        { role: "function", name: "f", content: "r" },
      ],
      functions: [{ name: "f", parameters: schema }],
      function_call: "auto",
      tools: [{ type: "custom", custom: { name: "c", format: { type: "text" } } }],
      web_search_options: {},
    },
  ],
  answers: [
    whole({ content: "hello", refusal: null, annotations: [] }, "stop"),
    whole({ content: null, tool_calls: [call], reasoning_content: "hm" }, "tool_calls"),
    whole({ content: "h", reasoning_details: [{ type: "reasoning.text", text: "t" }] }, "length"),
    { error: { message: "no", type: "invalid_request_error", param: "messages", code: "bad" } },
  ],
  streams: [
    [
      chunk({ role: "assistant", content: "" }),
      chunk({ content: "hel" }),
      chunk({ content: "lo" }),
      chunk({}, "stop"),
      ...last,
    ],
    [
      chunk({ role: "assistant", reasoning_content: "hm" }),
      chunk({ tool_calls: [{ index: 0, ...call }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{"q":' } }] }),
      chunk({}, "tool_calls"),
      ...last,
    ],
    [chunk({ content: "h" }), { data: { error: { message: "broke", code: 500 } } }],
  ],
};

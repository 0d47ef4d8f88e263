import type { DialectSamples, SampleEvent } from "./dialect-samples.ts";

const schema = { type: "object", properties: { q: { type: "string" } }, required: ["q"] };
const cache_control = { type: "ephemeral", ttl: "5m" };
const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };
const toolUse = { type: "tool_use", id: "toolu_1", name: "weather", input: { q: "x" } };
const usage = {
  input_tokens: 9,
  output_tokens: 4,
  cache_creation_input_tokens: 1,
  cache_read_input_tokens: 2,
};

const whole = (content: readonly object[], stop_reason: string | null) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content,
  stop_reason,
  stop_sequence: null,
  usage,
});

const event = (type: string, members: object = {}): SampleEvent => ({
  event: type,
  data: { type, ...members },
});

const block = (
  index: number,
  content_block: object,
  ...deltas: readonly object[]
): SampleEvent[] => [
  event("content_block_start", { index, content_block }),
  ...deltas.map((delta) => event("content_block_delta", { index, delta })),
  event("content_block_stop", { index }),
];

const stream = (stop_reason: string, ...blocks: readonly SampleEvent[]): SampleEvent[] => [
  event("message_start", { message: whole([], null) }),
  event("ping"),
  ...blocks,
  event("message_delta", { delta: { stop_reason, stop_sequence: null }, usage }),
  event("message_stop"),
];

/** Honest messages. */
export const messages: DialectSamples = {
  path: "/messages",
  requests: [
    { max_tokens: 50, messages: [{ role: "user", content: "hi" }] },
    {
      max_tokens: 500,
      system: [{ type: "text", text: "Be brief.", cache_control }],
      messages: [
        { role: "user", content: [{ type: "text", text: "What?" }, image] },
        {
          role: "assistant",
          content: [{ type: "thinking", thinking: "hm", signature: "AAAA" }, toolUse],
        },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "toolu_1",
              content: [{ type: "text", text: "rain" }, image],
              is_error: false,
            },
          ],
        },
      ],
      tools: [{ name: "weather", description: "Looks.", input_schema: schema, cache_control }],
      tool_choice: { type: "tool", name: "weather", disable_parallel_tool_use: true },
      thinking: { type: "enabled", budget_tokens: 1024 },
    },
    {
      max_tokens: 60,
      messages: [
        {
          role: "user",
          content: [
            {
              type: "document",
              title: "t",
              citations: { enabled: true },
              source: { type: "text", media_type: "text/plain", data: "d" },
            },
            {
              type: "search_result",
              source: "s",
              title: "t",
              content: [{ type: "text", text: "x" }],
            },
          ],
        },
        { role: "assistant", content: [{ type: "redacted_thinking", data: "AAAA" }] },
        { role: "system", content: "again" },
        { role: "user", content: "go" },
      ],
      tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 1 }],
      stop_sequences: ["x"],
      temperature: 0.5,
      top_k: 3,
      top_p: 0.9,
      metadata: { user_id: "u" },
      service_tier: "auto",
      output_config: { effort: "low", format: { type: "json_schema", schema } },
      context_management: { edits: [{ type: "clear_tool_uses_20250919" }] },
    },
  ],
  answers: [
    whole([{ type: "text", text: "hello", citations: null }], "end_turn"),
    whole([{ type: "thinking", thinking: "hm", signature: "AA" }, toolUse], "tool_use"),
    whole([{ type: "text", text: "h" }], "max_tokens"),
    { type: "error", error: { type: "overloaded_error", message: "no" }, request_id: "r" },
  ],
  streams: [
    stream(
      "end_turn",
      ...block(
        0,
        { type: "text", text: "" },
        { type: "text_delta", text: "hel" },
        { type: "text_delta", text: "lo" },
      ),
    ),
    stream(
      "tool_use",
      ...block(
        0,
        { type: "thinking", thinking: "", signature: "" },
        { type: "thinking_delta", thinking: "hm" },
        { type: "signature_delta", signature: "AAAA" },
      ),
      ...block(
        1,
        { ...toolUse, input: {} },
        { type: "input_json_delta", partial_json: '{"q":"x"}' },
      ),
    ),
    [
      event("message_start", { message: whole([], null) }),
      event("error", { error: { type: "overloaded_error", message: "no" } }),
    ],
  ],
};

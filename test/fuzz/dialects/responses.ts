import type { DialectSamples, SampleEvent } from "./dialect-samples.ts";

const schema = { type: "object", properties: { q: { type: "string" } }, required: ["q"] };
const usage = {
  input_tokens: 9,
  input_tokens_details: { cached_tokens: 2 },
  output_tokens: 4,
  output_tokens_details: { reasoning_tokens: 1 },
  total_tokens: 13,
};
const text = { type: "output_text", text: "hello", annotations: [], logprobs: [] };
const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  status: "completed",
  content: [text],
};
const call = {
  id: "fc_1",
  type: "function_call",
  call_id: "call_1",
  name: "weather",
  arguments: "{}",
  status: "completed",
};
const reasoning = {
  id: "rs_1",
  type: "reasoning",
  summary: [{ type: "summary_text", text: "hm" }],
  encrypted_content: "AAAA",
};

const response = (status: string, output: readonly object[], members: object = {}) => ({
  id: "resp_1",
  object: "response",
  created_at: 1_700_000_000,
  status,
  error: null,
  incomplete_details: null,
  model: "m",
  output,
  usage,
  ...members,
});

const event = (type: string, members: object, sequence_number = 0): SampleEvent => ({
  event: type,
  data: { type, sequence_number, ...members },
});

const place = { output_index: 0, item_id: "msg_1", content_index: 0 };

/** Honest responses. */
export const responses: DialectSamples = {
  path: "/responses",
  requests: [
    { input: "hi" },
    {
      instructions: "Be brief.",
      input: [
        { role: "user", content: [{ type: "input_text", text: "What?" }] },
        reasoning,
        call,
        { type: "function_call_output", call_id: "call_1", output: "rain" },
        { type: "item_reference", id: "msg_1" },
      ],
      tools: [{ type: "function", name: "weather", parameters: schema, strict: true }],
      tool_choice: { type: "function", name: "weather" },
      parallel_tool_calls: false,
      store: false,
      include: ["reasoning.encrypted_content"],
    },
    {
      input: [
        {
          type: "message",
          role: "user",
          content: [
            { type: "input_image", image_url: "data:image/png;base64,AAAA", detail: "low" },
            { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,AA" },
          ],
        },
        message,
        { type: "custom_tool_call", call_id: "c", name: "n", input: "i" },
        { type: "custom_tool_call_output", call_id: "c", output: "o" },
      ],
      text: { format: { type: "json_schema", name: "a", schema, strict: true }, verbosity: "low" },
      reasoning: { effort: "low", summary: "auto" },
      tools: [
        { type: "web_search" },
        { type: "custom", name: "n", format: { type: "grammar", syntax: "lark", definition: "x" } },
        { type: "mcp", server_label: "l", server_url: "http://127.0.0.1:9/" },
      ],
      max_output_tokens: 50,
      temperature: 0.5,
      top_p: 0.9,
      top_logprobs: 2,
      truncation: "auto",
      metadata: { a: "b" },
      service_tier: "auto",
      prompt_cache_key: "k",
      previous_response_id: "resp_1",
    },
  ],
  answers: [
    response("completed", [message]),
    response("completed", [reasoning, call]),
    response("incomplete", [message], { incomplete_details: { reason: "max_output_tokens" } }),
    response("failed", [], { error: { code: "server_error", message: "no" } }),
    { error: { message: "no", type: "invalid_request_error", param: "input", code: "bad" } },
  ],
  streams: [
    [
      event("response.created", { response: response("in_progress", []) }),
      event("response.in_progress", { response: response("in_progress", []) }, 1),
      event(
        "response.output_item.added",
        { output_index: 0, item: { ...message, content: [] } },
        2,
      ),
      event("response.content_part.added", { ...place, part: { ...text, text: "" } }, 3),
      event("response.output_text.delta", { ...place, delta: "hello", logprobs: [] }, 4),
      event("response.output_text.done", { ...place, text: "hello", logprobs: [] }, 5),
      event("response.content_part.done", { ...place, part: text }, 6),
      event("response.output_item.done", { output_index: 0, item: message }, 7),
      event("response.completed", { response: response("completed", [message]) }, 8),
    ],
    [
      event("response.created", { response: response("in_progress", []) }),
      event(
        "response.output_item.added",
        { output_index: 0, item: { ...reasoning, summary: [] } },
        1,
      ),
      event(
        "response.reasoning_summary_part.added",
        {
          output_index: 0,
          item_id: "rs_1",
          summary_index: 0,
          part: { type: "summary_text", text: "" },
        },
        2,
      ),
      event(
        "response.reasoning_summary_text.delta",
        { output_index: 0, item_id: "rs_1", summary_index: 0, delta: "hm" },
        3,
      ),
      event("response.output_item.done", { output_index: 0, item: reasoning }, 4),
      event("response.output_item.added", { output_index: 1, item: { ...call, arguments: "" } }, 5),
      event(
        "response.function_call_arguments.delta",
        { output_index: 1, item_id: "fc_1", delta: "{}" },
        6,
      ),
      event(
        "response.function_call_arguments.done",
        { output_index: 1, item_id: "fc_1", arguments: "{}" },
        7,
      ),
      event("response.output_item.done", { output_index: 1, item: call }, 8),
      event("response.completed", { response: response("completed", [reasoning, call]) }, 9),
    ],
    [
      event("response.created", { response: response("in_progress", []) }),
      event("error", { code: "server_error", message: "no", param: null }, 1),
      event(
        "response.failed",
        { response: response("failed", [], { error: { code: "x", message: "no" } }) },
        2,
      ),
    ],
  ],
};

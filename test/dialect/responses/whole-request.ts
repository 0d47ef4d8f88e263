import type { JsonObject } from "../../../src/dialect/json.ts";

const parameters = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };

/** Everything that this dialect can say and the neutral turn has a word for. */
export const everything: JsonObject = {
  model: "gpt-x",
  instructions: "Be brief.",
  input: [
    { type: "message", role: "developer", content: "Mind the gap." },
    {
      type: "message",
      role: "user",
      content: [
        { type: "input_text", text: "see" },
        { type: "input_image", image_url: "data:image/png;base64,AAAA", detail: "low" },
        { type: "input_image", file_id: "file_1", detail: "auto" },
        { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,BBBB" },
        { type: "input_file", file_url: "https://a.example/c.pdf" },
      ],
    },
    {
      type: "reasoning",
      id: "rs_9",
      summary: [{ type: "summary_text", text: "hm" }],
      encrypted_content: "gAAA",
    },
    {
      type: "message",
      role: "assistant",
      status: "completed",
      content: [
        {
          type: "output_text",
          text: "Looking.",
          annotations: [
            {
              type: "url_citation",
              url: "https://a.example/",
              title: "A",
              start_index: 0,
              end_index: 3,
            },
          ],
        },
        { type: "refusal", refusal: "Not that." },
      ],
      phase: "commentary",
    },
    {
      type: "function_call",
      call_id: "c1",
      name: "f",
      arguments: '{"a":"1"}',
      status: "completed",
    },
    {
      type: "function_call",
      call_id: "c2",
      name: "read",
      namespace: "fs",
      arguments: "{}",
      status: "completed",
    },
    {
      type: "custom_tool_call",
      call_id: "c3",
      name: "patch",
      input: "*** Begin",
      status: "completed",
    },
    { type: "function_call_output", call_id: "c1", output: "one" },
    {
      type: "function_call_output",
      call_id: "c2",
      output: [
        { type: "input_text", text: "two" },
        { type: "input_image", image_url: "https://a.example/b.png", detail: "high" },
      ],
    },
    { type: "custom_tool_call_output", call_id: "c3", output: "three" },
    { type: "message", role: "developer", content: [{ type: "input_text", text: "Now." }] },
    { type: "message", role: "user", content: "Go on." },
  ],
  tools: [
    {
      type: "function",
      name: "f",
      description: "d",
      parameters,
      strict: true,
      defer_loading: true,
    },
    {
      type: "namespace",
      name: "fs",
      description: "files",
      tools: [{ type: "function", name: "read", parameters }],
    },
    {
      type: "custom",
      name: "patch",
      description: "p",
      format: { type: "grammar", syntax: "lark", definition: "start: x" },
    },
    { type: "web_search", search_context_size: "low" },
  ],
  tool_choice: {
    type: "allowed_tools",
    mode: "required",
    tools: [{ type: "function", name: "f" }],
  },
  parallel_tool_calls: false,
  max_output_tokens: 5,
  temperature: 0.2,
  top_p: 0.9,
  top_logprobs: 2,
  text: {
    format: {
      type: "json_schema",
      name: "thing",
      description: "d",
      schema: parameters,
      strict: true,
    },
    verbosity: "low",
  },
  reasoning: { effort: "xhigh", summary: "concise", context: "auto" },
  include: [
    "reasoning.encrypted_content",
    "message.output_text.logprobs",
    "web_search_call.results",
  ],
  service_tier: "ultrafast",
  metadata: { a: "1" },
  safety_identifier: "u",
  store: false,
  truncation: "auto",
  max_tool_calls: 3,
  prompt_cache_key: "k",
  mystery: { deep: [1] },
  stream_options: { include_obfuscation: false },
  stream: true,
};

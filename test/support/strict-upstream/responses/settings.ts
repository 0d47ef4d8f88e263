import { asArrayOrEmpty, asObject, type JsonObject } from "../../../../src/dialect/json.ts";

/** What the vendor says of settings that a request leaves out. */
const defaults: JsonObject = {
  background: false,
  frequency_penalty: 0,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  presence_penalty: 0,
  previous_response_id: null,
  prompt_cache_key: null,
  safety_identifier: null,
  service_tier: "default",
  store: true,
  temperature: 1,
  tool_choice: "auto",
  top_logprobs: 0,
  top_p: 1,
  truncation: "disabled",
};

/** The settings of a request, which a response echoes. */
export function settingsOf(body: JsonObject): JsonObject {
  const set = Object.entries(defaults).map(([name, normal]) => [name, body[name] ?? normal]);
  return {
    ...Object.fromEntries(set),
    reasoning: { effort: null, summary: null, ...asObject(body["reasoning"]) },
    text: { ...asObject(body["text"]), format: formatOf(body) },
    tools: asArrayOrEmpty(body["tools"]).map(toolOf),
  };
}

function formatOf(body: JsonObject): JsonObject {
  const format = asObject(asObject(body["text"])?.["format"]) ?? { type: "text" };
  if (format["type"] !== "json_schema") return format;
  return { description: null, strict: false, ...format };
}

function toolOf(value: unknown): unknown {
  const tool = asObject(value) ?? {};
  if (tool["type"] !== "function") return value;
  return { description: null, parameters: null, strict: true, ...tool };
}

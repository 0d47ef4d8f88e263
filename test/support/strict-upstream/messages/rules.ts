import { asArray, asObject, asString, type JsonObject } from "../../../../src/dialect/json.ts";
import { elements, extraInputs, faultIf, repeated, type Fault } from "../fault.ts";
import { closedAndPlain, schemaFaults } from "../schema-faults.ts";
import { messageFaults } from "./message-rules.ts";

/** Fields of a request, each with the beta that it needs; empty: none. */
const fields: Readonly<Record<string, string>> = {
  model: "",
  max_tokens: "",
  messages: "",
  system: "",
  stop_sequences: "",
  stream: "",
  temperature: "",
  top_p: "",
  top_k: "",
  thinking: "",
  output_config: "",
  tools: "",
  tool_choice: "",
  metadata: "",
  service_tier: "",
  speed: "",
  cache_control: "",
  container: "",
  inference_geo: "",
  diagnostics: "cache-diagnosis",
  context_management: "context-management",
  mcp_servers: "mcp-client",
  safeguards: "dangerous-tool-use",
  thread: "threads",
  compaction: "compaction",
};

const efforts = new Set(["low", "medium", "high", "xhigh", "max"]);

/**
 * What a vendor of the messages dialect refuses (its API reference, and the errors
 * that its users report). `betas`: the value of `anthropic-beta`.
 */
export function messagesFaults(body: JsonObject, betas = ""): readonly Fault[] {
  const known = Object.entries(fields).filter(([, beta]) => betas.includes(beta));
  return [
    ...extraInputs(body, new Set(known.map(([name]) => name))),
    ...faultIf(asString(body["model"]) === undefined, "model", "Field required"),
    ...faultIf(!(Number(body["max_tokens"]) >= 1), "max_tokens", "Field required, at least 1"),
    ...systemFaults(body["system"]),
    ...messageFaults(body, betas),
    ...toolFaults(body),
    ...choiceFaults(body),
    ...thinkingFaults(body),
    ...optionFaults(body),
    ...faultIf(
      breakpoints(body) > 4,
      "cache_control",
      "A maximum of 4 blocks with cache_control may be provided",
    ),
  ];
}

function systemFaults(system: unknown): readonly Fault[] {
  return elements(typeof system === "string" ? [] : system, "system").flatMap(([block, path]) => [
    ...extraInputs(block, new Set(["type", "text", "cache_control", "citations"]), path),
    ...faultIf(
      asString(block["text"])?.trim() === "",
      path,
      "text content blocks must be non-empty",
    ),
  ]);
}

const toolFields = new Set([
  "type",
  "name",
  "description",
  "input_schema",
  "strict",
  "cache_control",
  "input_examples",
  "defer_loading",
  "eager_input_streaming",
  "allowed_callers",
]);
const hosted =
  /^(?:advisor|bash|browser|code_execution|computer|memory|text_editor|tool_search_tool|web_fetch|web_search)_/;

function toolFaults({ tools }: JsonObject): readonly Fault[] {
  const listed = elements(tools, "tools");
  const names = listed.map(([{ name }]) => String(name));
  return [
    ...listed.flatMap(([tool, path]) => oneToolFaults(tool, path)),
    ...faultIf(repeated(names).length > 0, "tools", "Tool names must be unique"),
  ];
}

function oneToolFaults(tool: JsonObject, path: string): readonly Fault[] {
  const type = asString(tool["type"]) ?? "custom";
  if (hosted.test(type)) return [];
  const schema = asObject(tool["input_schema"]);
  return [
    ...faultIf(
      type !== "custom",
      `${path}.type`,
      `Input tag '${type}' found using 'type' does not match any of the expected tags`,
    ),
    ...extraInputs(tool, toolFields, path),
    ...faultIf(
      !/^[a-zA-Z0-9_-]{1,128}$/.test(String(tool["name"])),
      `${path}.name`,
      "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    ),
    ...faultIf(
      schema?.["type"] !== "object",
      `${path}.input_schema.type`,
      "Input should be 'object'",
    ),
    ...(tool["strict"] === true
      ? schemaFaults(schema, `${path}.input_schema`, closedAndPlain)
      : []),
  ];
}

function choiceFaults({ tools, tool_choice: value }: JsonObject): readonly Fault[] {
  const choice = asObject(value);
  if (choice === undefined) return [];
  const names = asArray(tools).map((tool) => asObject(tool)?.["name"]);
  const { type, name } = choice;
  return [
    ...extraInputs(choice, new Set(["type", "name", "disable_parallel_tool_use"]), "tool_choice"),
    ...faultIf(names.length === 0, "tool_choice", "may only be specified while providing `tools`"),
    ...faultIf(
      type === "tool" && !names.includes(name),
      "tool_choice",
      `Tool '${String(name)}' not found in provided tools`,
    ),
    ...faultIf(
      type === "none" && "disable_parallel_tool_use" in choice,
      "tool_choice.none.disable_parallel_tool_use",
      "Extra inputs are not permitted",
    ),
  ];
}

function thinkingFaults(body: JsonObject): readonly Fault[] {
  const thinking = asObject(body["thinking"]) ?? { type: "disabled" };
  const { type, budget_tokens: budget } = thinking;
  const isOn = type === "enabled" || type === "adaptive";
  const choice = asObject(body["tool_choice"])?.["type"];
  const last = asObject(asArray(body["messages"]).at(-1));
  return [
    ...extraInputs(thinking, new Set(["type", "budget_tokens", "display"]), "thinking"),
    ...faultIf(
      type === "enabled" && !(Number(budget) >= 1024),
      "thinking.enabled.budget_tokens",
      "Input should be greater than or equal to 1024",
    ),
    ...faultIf(
      type === "enabled" && Number(budget) >= Number(body["max_tokens"]),
      "max_tokens",
      "`max_tokens` must be greater than `thinking.budget_tokens`",
    ),
    ...faultIf(
      isOn && "temperature" in body,
      "temperature",
      "may only be set to 1 when thinking is enabled",
    ),
    ...faultIf(isOn && "top_k" in body, "top_k", "must be unset when thinking is enabled"),
    ...faultIf(
      isOn && (choice === "any" || choice === "tool"),
      "tool_choice",
      "Thinking may not be enabled when tool_choice forces tool use",
    ),
    ...faultIf(
      isOn && last?.["role"] === "assistant",
      "messages",
      "A begun answer cannot be continued while thinking",
    ),
  ];
}

function optionFaults(body: JsonObject): readonly Fault[] {
  const output = asObject(body["output_config"]) ?? {};
  const format = asObject(output["format"]);
  const stops = asArray(body["stop_sequences"]);
  return [
    ...extraInputs(output, new Set(["effort", "format", "task_budget"]), "output_config"),
    ...faultIf(
      "effort" in output && !efforts.has(String(output["effort"])),
      "output_config.effort",
      "Input should be an effort",
    ),
    ...(format === undefined
      ? []
      : schemaFaults(format["schema"], "output_config.format.schema", closedAndPlain)),
    ...extraInputs(asObject(body["metadata"]) ?? {}, new Set(["user_id"]), "metadata"),
    ...faultIf(
      Number(body["temperature"] ?? 0) > 1,
      "temperature",
      "Input should be less than or equal to 1",
    ),
    ...faultIf(
      !["auto", "standard_only", undefined].includes(body["service_tier"] as string),
      "service_tier",
      "Input should be 'auto' or 'standard_only'",
    ),
    ...faultIf(
      stops.some((stop) => String(stop).trim() === ""),
      "stop_sequences",
      "each stop sequence must contain non-whitespace",
    ),
  ];
}

function breakpoints(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + breakpoints(item), 0);
  const object = asObject(value);
  if (object === undefined) return 0;
  return Object.entries(object).reduce(
    (sum, [name, member]) => sum + (name === "cache_control" ? 1 : breakpoints(member)),
    0,
  );
}

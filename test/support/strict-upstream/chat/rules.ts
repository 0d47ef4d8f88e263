import { asArray, asObject, asString, type JsonObject } from "../../../../src/dialect/json.ts";
import { elements, extraInputs, faultIf, repeated, userFaults, type Fault } from "../fault.ts";
import { closedAndRequired, schemaFaults } from "../schema-faults.ts";
import { messageFaults } from "./message-rules.ts";

const fields = new Set([
  "model",
  "messages",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "response_format",
  "reasoning_effort",
  "verbosity",
  "max_tokens",
  "max_completion_tokens",
  "temperature",
  "top_p",
  "top_k",
  "presence_penalty",
  "frequency_penalty",
  "logit_bias",
  "seed",
  "n",
  "stop",
  "logprobs",
  "top_logprobs",
  "user",
  "safety_identifier",
  "metadata",
  "service_tier",
  "stream",
  "stream_options",
  "store",
  "prompt_cache_key",
]);
const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
const toolName = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * What a chat server refuses: the vendor's reference, and, unless it is the vendor's
 * own, the templates of local models, which want one system message and that first.
 */
export function chatFaults(body: JsonObject, isVendors = false): readonly Fault[] {
  return [
    ...extraInputs(body, fields),
    ...faultIf(
      asString(body["model"]) === undefined,
      "model",
      "you must provide a model parameter",
    ),
    ...messageFaults(body, isVendors),
    ...toolFaults(body),
    ...choiceFaults(body),
    ...formatFaults(asObject(body["response_format"])),
    ...optionFaults(body),
  ];
}

function toolFaults({ tools }: JsonObject): readonly Fault[] {
  const listed = elements(tools, "tools");
  return [
    ...faultIf(Array.isArray(tools) && listed.length === 0, "tools", "[] is too short"),
    ...faultIf(
      repeated(listed.map(([tool]) => nameOf(tool))).length > 0,
      "tools",
      "Tool names must be unique",
    ),
    ...listed.flatMap(([tool, path]) => oneToolFaults(tool, path)),
  ];
}

function oneToolFaults(tool: JsonObject, path: string): readonly Fault[] {
  const type = String(tool["type"]);
  const named = asObject(tool[type]) ?? {};
  const place = `${path}.${type}`;
  const known =
    type === "custom"
      ? ["name", "description", "format"]
      : ["name", "description", "parameters", "strict"];
  return [
    ...faultIf(
      type !== "function" && type !== "custom",
      `${path}.type`,
      `Invalid value: '${type}'`,
    ),
    ...extraInputs(tool, new Set(["type", type]), path),
    ...extraInputs(named, new Set(known), place),
    ...faultIf(
      !toolName.test(nameOf(tool)),
      `${place}.name`,
      "Expected a string that matches the pattern '^[a-zA-Z0-9_-]{1,64}$'",
    ),
    ...(named["strict"] === true
      ? schemaFaults(named["parameters"], `${place}.parameters`, closedAndRequired)
      : []),
  ];
}

function nameOf(tool: JsonObject): string {
  return asString((asObject(tool["function"]) ?? asObject(tool["custom"]))?.["name"]) ?? "";
}

function choiceFaults({
  tools,
  tool_choice: value,
  parallel_tool_calls: parallel,
}: JsonObject): readonly Fault[] {
  const names = asArray(tools).map((tool) => nameOf(asObject(tool) ?? {}));
  const choice = asObject(value);
  const name = choice === undefined ? undefined : nameOf(choice);
  const isNamed = choice?.["type"] === "function" || choice?.["type"] === "custom";
  return [
    ...faultIf(
      value !== undefined && names.length === 0,
      "tool_choice",
      "'tool_choice' is only allowed when 'tools' are specified",
    ),
    ...faultIf(
      parallel !== undefined && names.length === 0,
      "parallel_tool_calls",
      "'parallel_tool_calls' is only allowed when 'tools' are specified",
    ),
    ...faultIf(
      choice === undefined && ![undefined, "none", "auto", "required"].includes(value as string),
      "tool_choice",
      "Invalid value",
    ),
    ...faultIf(
      isNamed && !names.includes(name ?? ""),
      "tool_choice",
      `Tool choice '${String(name)}' not found in 'tools' parameter`,
    ),
  ];
}

function formatFaults(format: JsonObject | undefined): readonly Fault[] {
  if (format === undefined) return [];
  const named = asObject(format["json_schema"]);
  const isSchema = format["type"] === "json_schema";
  return [
    ...faultIf(
      !["text", "json_object", "json_schema"].includes(String(format["type"])),
      "response_format.type",
      "Invalid value",
    ),
    ...faultIf(
      isSchema && !toolName.test(String(named?.["name"])),
      "response_format.json_schema.name",
      "Missing required parameter",
    ),
    ...(named?.["strict"] === true
      ? schemaFaults(named["schema"], "response_format.json_schema.schema", closedAndRequired)
      : []),
  ];
}

function optionFaults(body: JsonObject): readonly Fault[] {
  const stops = asArray(body["stop"]);
  const caps = [body["max_tokens"], body["max_completion_tokens"]];
  const effort = asString(body["reasoning_effort"]);
  return [
    ...userFaults(body),
    ...faultIf(
      caps.every((cap) => cap !== undefined),
      "max_tokens",
      "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported",
    ),
    ...faultIf(
      caps.some((cap) => cap !== undefined && !(Number(cap) >= 1)),
      "max_tokens",
      "Expected a value >= 1",
    ),
    ...faultIf(stops.length > 4, "stop", "Expected an array with maximum length 4"),
    ...faultIf(
      body["stream_options"] !== undefined && body["stream"] !== true,
      "stream_options",
      "only allowed when 'stream' is true",
    ),
    ...faultIf(
      body["top_logprobs"] !== undefined && body["logprobs"] !== true,
      "top_logprobs",
      "only allowed when 'logprobs' is true",
    ),
    ...faultIf(
      effort !== undefined && !efforts.includes(effort),
      "reasoning_effort",
      "Invalid value",
    ),
  ];
}

import { asArray, asObject, asString, type JsonObject } from "../../../../src/dialect/json.ts";
import { elements, extraInputs, faultIf, repeated, userFaults, type Fault } from "../fault.ts";
import { closedAndRequired, schemaFaults } from "../schema-faults.ts";
import { inputFaults } from "./item-rules.ts";

/** The reference's, and `client_metadata`, which Codex sends. */
const fields = new Set([
  "model",
  "input",
  "instructions",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "max_output_tokens",
  "max_tool_calls",
  "temperature",
  "top_p",
  "top_logprobs",
  "text",
  "reasoning",
  "include",
  "service_tier",
  "metadata",
  "client_metadata",
  "access_programs",
  "user",
  "safety_identifier",
  "store",
  "stream",
  "stream_options",
  "truncation",
  "prompt_cache_key",
  "previous_response_id",
]);
const includes = new Set([
  "reasoning.encrypted_content",
  "message.output_text.logprobs",
  "web_search_call.action.sources",
]);
const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max", undefined];
const toolName = /^[a-zA-Z0-9_-]{1,128}$/;

/** What a vendor of the responses dialect refuses (its API reference, and the errors that its users report). */
export function responsesFaults(body: JsonObject): readonly Fault[] {
  return [
    ...unknownParameters(body, fields, ""),
    ...faultIf(
      asString(body["model"]) === undefined,
      "model",
      "Missing required parameter: 'model'.",
    ),
    ...inputFaults(body),
    ...toolFaults(body["tools"], "tools"),
    ...choiceFaults(body),
    ...optionFaults(body),
  ];
}

function unknownParameters(
  object: JsonObject,
  known: ReadonlySet<string>,
  path: string,
): readonly Fault[] {
  return extraInputs(object, known, path).map((fault) => ({
    ...fault,
    message: `Unknown parameter: '${fault.path}'.`,
  }));
}

const hosted = new Set([
  "web_search",
  "file_search",
  "code_interpreter",
  "image_generation",
  "mcp",
  "local_shell",
  "shell",
]);

/** Members of a tool by its type. */
const toolFields: Readonly<Record<string, readonly string[]>> = {
  function: ["name", "description", "parameters", "strict", "defer_loading", "allowed_callers"],
  custom: ["name", "description", "format", "defer_loading"],
  namespace: ["name", "description", "tools"],
  tool_search: ["execution", "description", "parameters"],
};

export function toolFaults(tools: unknown, path: string): readonly Fault[] {
  const listed = elements(tools, path);
  const names = listed.map(([{ name, type }]) => asString(name) ?? `(${String(type)})`);
  return [
    ...faultIf(repeated(names).length > 0, path, "Tool names must be unique."),
    ...listed.flatMap(([tool, place]) => oneToolFaults(tool, place)),
  ];
}

function oneToolFaults(tool: JsonObject, path: string): readonly Fault[] {
  const type = String(tool["type"]);
  if (hosted.has(type)) return [];
  const known = toolFields[type];
  if (known === undefined) return [{ path: `${path}.type`, message: `Invalid value: '${type}'.` }];
  const isNamed = type === "tool_search" || toolName.test(String(tool["name"]));
  return [
    ...unknownParameters(tool, new Set(["type", ...known]), path),
    ...faultIf(
      !isNamed,
      `${path}.name`,
      "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    ),
    ...(type === "namespace" ? toolFaults(tool["tools"], `${path}.tools`) : []),
    // What a tool does not say of it is strict, and checked as such.
    ...(type === "function" && tool["strict"] !== false
      ? schemaFaults(tool["parameters"], `${path}.parameters`, closedAndRequired)
      : []),
  ];
}

function choiceFaults({ tools, tool_choice: value }: JsonObject): readonly Fault[] {
  const choice = asObject(value);
  const names = asArray(tools).map((tool) => asObject(tool)?.["name"]);
  const isNamed = choice?.["type"] === "function" || choice?.["type"] === "custom";
  return [
    ...faultIf(
      choice === undefined && ![undefined, "none", "auto", "required"].includes(value as string),
      "tool_choice",
      "Invalid value.",
    ),
    ...faultIf(
      value === "required" && names.length === 0,
      "tool_choice",
      "Tool choice 'required' needs 'tools'.",
    ),
    ...faultIf(
      isNamed && !names.includes(choice["name"]),
      "tool_choice",
      `Tool choice '${String(choice?.["name"])}' not found in 'tools' parameter.`,
    ),
  ];
}

function optionFaults(body: JsonObject): readonly Fault[] {
  const reasoning = asObject(body["reasoning"]) ?? {};
  const text = asObject(body["text"]) ?? {};
  const format = asObject(text["format"]);
  const cap = body["max_output_tokens"];
  return [
    ...userFaults(body),
    ...unknownParameters(reasoning, new Set(["effort", "summary", "context", "mode"]), "reasoning"),
    ...faultIf(
      !efforts.includes(reasoning["effort"] as string),
      "reasoning.effort",
      "Invalid value.",
    ),
    ...unknownParameters(text, new Set(["format", "verbosity"]), "text"),
    ...(format?.["strict"] === true
      ? schemaFaults(format["schema"], "text.format.schema", closedAndRequired)
      : []),
    ...faultIf(
      format?.["type"] === "json_schema" && !toolName.test(String(format["name"])),
      "text.format.name",
      "Missing required parameter: 'text.format.name'.",
    ),
    ...faultIf(
      asArray(body["include"]).some((entry) => !includes.has(String(entry))),
      "include",
      "Invalid value.",
    ),
    ...faultIf(
      cap !== undefined && !(Number(cap) >= 16),
      "max_output_tokens",
      "Expected a value >= 16.",
    ),
    ...faultIf(
      body["previous_response_id"] !== undefined,
      "previous_response_id",
      "Previous response not found.",
    ),
  ];
}

import {
  asArrayOrEmpty,
  asObject,
  asString,
  type JsonObject,
} from "../../../../src/dialect/json.ts";
import { extraInputs, violationIf, userViolations, type Violation } from "../violation.ts";
import { closedAndRequired, schemaFaults } from "../schema-faults.ts";
import { messageFaults } from "./message-rules.ts";
import { choiceFaults, toolFaults, toolName } from "./tool-rules.ts";

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
const efforts = new Set(["none", "minimal", "low", "medium", "high", "xhigh", "max"]);

/**
 * What a chat server refuses: the vendor's reference, and, unless it is the vendor's
 * own, the templates of local models, which want one system message and that first.
 */
export function chatFaults(body: JsonObject, isVendors = false): readonly Violation[] {
  return [
    ...extraInputs(body, fields),
    ...violationIf(
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

function formatFaults(format: JsonObject | undefined): readonly Violation[] {
  if (format === undefined) return [];
  const named = asObject(format["json_schema"]);
  const isSchema = format["type"] === "json_schema";
  return [
    ...violationIf(
      !["text", "json_object", "json_schema"].includes(String(format["type"])),
      "response_format.type",
      "Invalid value",
    ),
    ...violationIf(
      isSchema && !toolName.test(String(named?.["name"])),
      "response_format.json_schema.name",
      "Missing required parameter",
    ),
    ...(named?.["strict"] === true
      ? schemaFaults(named["schema"], "response_format.json_schema.schema", closedAndRequired)
      : []),
  ];
}

function optionFaults(body: JsonObject): readonly Violation[] {
  const stops = asArrayOrEmpty(body["stop"]);
  const caps = [body["max_tokens"], body["max_completion_tokens"]];
  const effort = asString(body["reasoning_effort"]);
  return [
    ...userViolations(body),
    ...violationIf(
      caps.every((cap) => cap !== undefined),
      "max_tokens",
      "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported",
    ),
    ...violationIf(
      caps.some((cap) => cap !== undefined && !(Number(cap) >= 1)),
      "max_tokens",
      "Expected a value >= 1",
    ),
    ...violationIf(stops.length > 4, "stop", "Expected an array with maximum length 4"),
    ...violationIf(
      body["stream_options"] !== undefined && body["stream"] !== true,
      "stream_options",
      "only allowed when 'stream' is true",
    ),
    ...violationIf(
      body["top_logprobs"] !== undefined && body["logprobs"] !== true,
      "top_logprobs",
      "only allowed when 'logprobs' is true",
    ),
    ...violationIf(
      effort !== undefined && !efforts.has(effort),
      "reasoning_effort",
      "Invalid value",
    ),
  ];
}

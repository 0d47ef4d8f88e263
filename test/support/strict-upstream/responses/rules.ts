import {
  asArrayOrEmpty,
  asObject,
  asString,
  type JsonObject,
} from "../../../../src/dialect/json.ts";
import { violationIf, userViolations, type Violation } from "../violation.ts";
import { closedAndRequired, schemaFaults } from "../schema-faults.ts";
import { inputFaults } from "./item-rules.ts";
import { choiceFaults, toolFaults, toolName, unknownParameters } from "./tool-rules.ts";

/** Those that the vendor documents, and `client_metadata`, which Codex sends. */
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
const efforts = new Set<unknown>([
  undefined,
  "none",
  "minimal",
  "low",
  "medium",
  "high",
  "xhigh",
  "max",
]);

/** What a vendor of the responses dialect refuses (its API reference, and the errors that its users report). */
export function responsesFaults(body: JsonObject): readonly Violation[] {
  return [
    ...unknownParameters(body, fields, ""),
    ...violationIf(
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

function optionFaults(body: JsonObject): readonly Violation[] {
  const reasoning = asObject(body["reasoning"]) ?? {};
  const text = asObject(body["text"]) ?? {};
  const format = asObject(text["format"]);
  const cap = body["max_output_tokens"];
  return [
    ...userViolations(body),
    ...unknownParameters(reasoning, new Set(["effort", "summary", "context", "mode"]), "reasoning"),
    ...violationIf(!efforts.has(reasoning["effort"]), "reasoning.effort", "Invalid value."),
    ...unknownParameters(text, new Set(["format", "verbosity"]), "text"),
    ...(format?.["strict"] === true
      ? schemaFaults(format["schema"], "text.format.schema", closedAndRequired)
      : []),
    ...violationIf(
      format?.["type"] === "json_schema" && !toolName.test(String(format["name"])),
      "text.format.name",
      "Missing required parameter: 'text.format.name'.",
    ),
    ...violationIf(
      asArrayOrEmpty(body["include"]).some((entry) => !includes.has(String(entry))),
      "include",
      "Invalid value.",
    ),
    ...violationIf(
      cap !== undefined && !(Number(cap) >= 16),
      "max_output_tokens",
      "Expected a value >= 16.",
    ),
    ...lostFaults(body),
  ];
}

/** What was known has been put in its place (`kept.ts`). */
function lostFaults({ previous_response_id: id }: JsonObject): readonly Violation[] {
  if (id === undefined || id === null) return [];
  const message = `Previous response with id '${JSON.stringify(id).replaceAll('"', "")}' not found.`;
  return [{ path: "previous_response_id", message, code: "previous_response_not_found" }];
}

import {
  asArrayOrEmpty,
  asObject,
  asString,
  type JsonObject,
} from "../../../../src/dialect/json.ts";
import { elements, extraInputs, violationIf, type Violation } from "../violation.ts";
import { closedAndPlain, schemaFaults } from "../schema-faults.ts";
import { messageFaults } from "./message-rules.ts";
import { choiceFaults, toolFaults } from "./tool-rules.ts";

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
export function messagesFaults(body: JsonObject, betas = ""): readonly Violation[] {
  const known = Object.entries(fields).filter(([, beta]) => betas.includes(beta));
  return [
    ...extraInputs(body, new Set(known.map(([name]) => name))),
    ...violationIf(asString(body["model"]) === undefined, "model", "Field required"),
    ...violationIf(!(Number(body["max_tokens"]) >= 1), "max_tokens", "Field required, at least 1"),
    ...violationIf(
      asObject(body["thread"])?.["type"] === "continue",
      "thread.previous_message_id",
      "Thread not found",
    ),
    ...systemFaults(body["system"]),
    ...messageFaults(body, betas),
    ...toolFaults(body),
    ...choiceFaults(body),
    ...thinkingFaults(body),
    ...optionFaults(body),
    ...violationIf(
      breakpoints(body) > 4,
      "cache_control",
      "A maximum of 4 blocks with cache_control may be provided",
    ),
  ];
}

function systemFaults(system: unknown): readonly Violation[] {
  return elements(typeof system === "string" ? [] : system, "system").flatMap(([block, path]) => [
    ...extraInputs(block, new Set(["type", "text", "cache_control", "citations"]), path),
    ...violationIf(
      asString(block["text"])?.trim() === "",
      path,
      "text content blocks must be non-empty",
    ),
  ]);
}

function thinkingFaults(body: JsonObject): readonly Violation[] {
  const thinking = asObject(body["thinking"]) ?? { type: "disabled" };
  const { type, budget_tokens: budget } = thinking;
  const isOn = type === "enabled" || type === "adaptive";
  const choice = asObject(body["tool_choice"])?.["type"];
  const last = asObject(asArrayOrEmpty(body["messages"]).at(-1));
  return [
    ...extraInputs(thinking, new Set(["type", "budget_tokens", "display"]), "thinking"),
    ...violationIf(
      type === "enabled" && !(Number(budget) >= 1024),
      "thinking.enabled.budget_tokens",
      "Input should be greater than or equal to 1024",
    ),
    ...violationIf(
      type === "enabled" && Number(budget) >= Number(body["max_tokens"]),
      "max_tokens",
      "`max_tokens` must be greater than `thinking.budget_tokens`",
    ),
    ...violationIf(
      isOn && "temperature" in body,
      "temperature",
      "may only be set to 1 when thinking is enabled",
    ),
    ...violationIf(isOn && "top_k" in body, "top_k", "must be unset when thinking is enabled"),
    ...violationIf(
      isOn && (choice === "any" || choice === "tool"),
      "tool_choice",
      "Thinking may not be enabled when tool_choice forces tool use",
    ),
    ...violationIf(
      isOn && last?.["role"] === "assistant",
      "messages",
      "A begun answer cannot be continued while thinking",
    ),
  ];
}

function optionFaults(body: JsonObject): readonly Violation[] {
  const output = asObject(body["output_config"]) ?? {};
  const format = asObject(output["format"]);
  const stops = asArrayOrEmpty(body["stop_sequences"]);
  return [
    ...extraInputs(output, new Set(["effort", "format", "task_budget"]), "output_config"),
    ...violationIf(
      "effort" in output && !efforts.has(String(output["effort"])),
      "output_config.effort",
      "Input should be an effort",
    ),
    ...(format === undefined
      ? []
      : schemaFaults(format["schema"], "output_config.format.schema", closedAndPlain)),
    ...extraInputs(asObject(body["metadata"]) ?? {}, new Set(["user_id"]), "metadata"),
    ...violationIf(
      Number(body["temperature"] ?? 0) > 1,
      "temperature",
      "Input should be less than or equal to 1",
    ),
    ...violationIf(
      !["auto", "standard_only", undefined].includes(body["service_tier"] as string),
      "service_tier",
      "Input should be 'auto' or 'standard_only'",
    ),
    ...violationIf(
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

import { recordToMap } from "../../../platform/lookup-table.ts";
import { objectOrEmpty } from "../../grammar/fields.ts";
import type { JsonObject } from "../../../platform/json-value.ts";
import {
  readCountOrZero,
  type ConformanceResponse,
  type ConformanceStopReason,
  type ConformanceResponseUsage,
} from "../../parsed-response.ts";
import { asArrayOrEmpty } from "../../../platform/json-value.ts";

const stops = recordToMap<ConformanceStopReason>({
  end_turn: "end",
  stop_sequence: "stop-sequence",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "calls",
  refusal: "filter",
});

/** What a message says. */
export function readConformanceMessagesResponse(body: JsonObject): ConformanceResponse {
  const blocks = asArrayOrEmpty(body["content"]).map(objectOrEmpty);
  return {
    id: String(body["id"]),
    model: String(body["model"]),
    text: blocks.map(({ type, text }) => (type === "text" ? String(text) : "")).join(""),
    calls: blocks
      .filter(({ type }) => type === "tool_use")
      .map(({ id, name, input }) => ({
        id: String(id),
        name: String(name),
        arguments: JSON.stringify(input) ?? "",
      })),
    stop: stops.get(String(body["stop_reason"])) ?? "other",
    usage: readUsage(body["usage"]),
  };
}

/** Input of this dialect leaves caches out. */
function readUsage(value: unknown): ConformanceResponseUsage | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const usage = objectOrEmpty(value);
  const cached = readCountOrZero(usage["cache_read_input_tokens"]);
  const written = readCountOrZero(usage["cache_creation_input_tokens"]);
  return {
    input: readCountOrZero(usage["input_tokens"]) + cached + written,
    cached,
    output: readCountOrZero(usage["output_tokens"]),
    total: undefined,
  };
}

import { lookupTable } from "../../../platform/lookup-table.ts";
import { fieldsOf } from "../../grammar/fields.ts";
import type { JsonObject } from "../../../platform/json-value.ts";
import { countOf, type Reading, type ReadStop, type ReadUsage } from "../../reading.ts";
import { arrayOf } from "../shape.ts";

const stops = lookupTable<ReadStop>({
  end_turn: "end",
  stop_sequence: "stop-sequence",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "calls",
  refusal: "filter",
});

/** What a message says. */
export function readMessages(body: JsonObject): Reading {
  const blocks = arrayOf(body["content"]).map(fieldsOf);
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
function readUsage(value: unknown): ReadUsage | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const usage = fieldsOf(value);
  const cached = countOf(usage["cache_read_input_tokens"]);
  const written = countOf(usage["cache_creation_input_tokens"]);
  return {
    input: countOf(usage["input_tokens"]) + cached + written,
    cached,
    output: countOf(usage["output_tokens"]),
    total: undefined,
  };
}

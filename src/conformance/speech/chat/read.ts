import { lookupTable } from "../../../platform/lookup-table.ts";
import { fieldsOf } from "../../grammar/fields.ts";
import type { JsonObject } from "../../../platform/json-value.ts";
import {
  countOf,
  type CallReading,
  type Reading,
  type ReadStop,
  type ReadUsage,
} from "../../reading.ts";
import { arrayOf } from "../shape.ts";

const stops = lookupTable<ReadStop>({
  stop: "end",
  length: "length",
  tool_calls: "calls",
  content_filter: "filter",
});

/** What a chat completion says in its first choice. */
export function readChat(body: JsonObject): Reading {
  const choice = fieldsOf(arrayOf(body["choices"])[0]);
  const message = fieldsOf(choice["message"]);
  return {
    id: String(body["id"]),
    model: String(body["model"]),
    text: typeof message["content"] === "string" ? message["content"] : "",
    calls: arrayOf(message["tool_calls"]).map((call) => readCall(fieldsOf(call))),
    stop: stops.get(String(choice["finish_reason"])) ?? "other",
    usage: readUsage(body["usage"]),
  };
}

function readCall(call: JsonObject): CallReading {
  const { name, arguments: text } = fieldsOf(call["function"]);
  return { id: String(call["id"]), name: String(name), arguments: String(text) };
}

function readUsage(value: unknown): ReadUsage | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const usage = fieldsOf(value);
  return {
    input: countOf(usage["prompt_tokens"]),
    cached: countOf(fieldsOf(usage["prompt_tokens_details"])["cached_tokens"]),
    output: countOf(usage["completion_tokens"]),
    total: countOf(usage["total_tokens"]),
  };
}

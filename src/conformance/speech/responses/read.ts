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

/** What a response says. */
export function readResponses(body: JsonObject): Reading {
  const items = arrayOf(body["output"]).map(fieldsOf);
  const calls = items.filter(({ type }) => type === "function_call").map(readCall);
  return {
    id: String(body["id"]),
    model: String(body["model"]),
    text: items.map(readText).join(""),
    calls,
    stop: readStop(body, calls),
    usage: readUsage(body["usage"]),
  };
}

function readText(item: JsonObject): string {
  return arrayOf(item["content"])
    .map(fieldsOf)
    .map(({ type, text }) => (type === "output_text" ? String(text) : ""))
    .join("");
}

function readCall({ call_id, name, arguments: text }: JsonObject): CallReading {
  return { id: String(call_id), name: String(name), arguments: String(text) };
}

/** A turn that ends in calls has no word of its own: it is completed. */
function readStop(body: JsonObject, calls: readonly CallReading[]): ReadStop {
  const { reason } = fieldsOf(body["incomplete_details"]);
  if (body["status"] === "completed") return calls.length > 0 ? "calls" : "end";
  if (body["status"] !== "incomplete") return "other";
  if (reason === "max_output_tokens") return "length";
  return reason === "content_filter" ? "filter" : "other";
}

function readUsage(value: unknown): ReadUsage | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const usage = fieldsOf(value);
  return {
    input: countOf(usage["input_tokens"]),
    cached: countOf(fieldsOf(usage["input_tokens_details"])["cached_tokens"]),
    output: countOf(usage["output_tokens"]),
    total: countOf(usage["total_tokens"]),
  };
}

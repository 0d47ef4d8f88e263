import { objectMember } from "../../grammar/fields.ts";
import type { JsonObject } from "../../../platform/json-value.ts";
import {
  readCountOrZero,
  type ParsedToolCall,
  type ParsedResponse,
  type ParsedStop,
  type ParsedUsage,
} from "../../parsed-response.ts";
import { arrayOf } from "../shape.ts";

/** What a response says. */
export function readResponses(body: JsonObject): ParsedResponse {
  const items = arrayOf(body["output"]).map(objectMember);
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
    .map(objectMember)
    .map(({ type, text }) => (type === "output_text" ? String(text) : ""))
    .join("");
}

function readCall({ call_id, name, arguments: text }: JsonObject): ParsedToolCall {
  return { id: String(call_id), name: String(name), arguments: String(text) };
}

/** A turn that ends in calls has no word of its own: it is completed. */
function readStop(body: JsonObject, calls: readonly ParsedToolCall[]): ParsedStop {
  const { reason } = objectMember(body["incomplete_details"]);
  if (body["status"] === "completed") return calls.length > 0 ? "calls" : "end";
  if (body["status"] !== "incomplete") return "other";
  if (reason === "max_output_tokens") return "length";
  return reason === "content_filter" ? "filter" : "other";
}

function readUsage(value: unknown): ParsedUsage | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const usage = objectMember(value);
  return {
    input: readCountOrZero(usage["input_tokens"]),
    cached: readCountOrZero(objectMember(usage["input_tokens_details"])["cached_tokens"]),
    output: readCountOrZero(usage["output_tokens"]),
    total: readCountOrZero(usage["total_tokens"]),
  };
}

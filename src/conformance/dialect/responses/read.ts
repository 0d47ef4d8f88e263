import { objectOrEmpty } from "../../grammar/fields.ts";
import type { JsonObject } from "../../../platform/json-value.ts";
import {
  readCountOrZero,
  type ConformanceToolCall,
  type ConformanceResponse,
  type ConformanceStopReason,
  type ConformanceResponseUsage,
} from "../../parsed-response.ts";
import { asArrayOrEmpty } from "../../../platform/json-value.ts";

/** What a response says. */
export function readConformanceResponsesResponse(body: JsonObject): ConformanceResponse {
  const items = asArrayOrEmpty(body["output"]).map(objectOrEmpty);
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
  return asArrayOrEmpty(item["content"])
    .map(objectOrEmpty)
    .map(({ type, text }) => (type === "output_text" ? String(text) : ""))
    .join("");
}

function readCall({ call_id, name, arguments: text }: JsonObject): ConformanceToolCall {
  return { id: String(call_id), name: String(name), arguments: String(text) };
}

/** A turn that ends in calls has no word of its own: it is completed. */
function readStop(body: JsonObject, calls: readonly ConformanceToolCall[]): ConformanceStopReason {
  const { reason } = objectOrEmpty(body["incomplete_details"]);
  if (body["status"] === "completed") return calls.length > 0 ? "calls" : "end";
  if (body["status"] !== "incomplete") return "other";
  if (reason === "max_output_tokens") return "length";
  return reason === "content_filter" ? "filter" : "other";
}

function readUsage(value: unknown): ConformanceResponseUsage | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const usage = objectOrEmpty(value);
  return {
    input: readCountOrZero(usage["input_tokens"]),
    cached: readCountOrZero(objectOrEmpty(usage["input_tokens_details"])["cached_tokens"]),
    output: readCountOrZero(usage["output_tokens"]),
    total: readCountOrZero(usage["total_tokens"]),
  };
}

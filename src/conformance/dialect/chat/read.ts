import { recordToMap } from "../../../platform/lookup-table.ts";
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

const stops = recordToMap<ConformanceStopReason>({
  stop: "end",
  length: "length",
  tool_calls: "calls",
  content_filter: "filter",
});

/** What a chat completion says in its first choice. */
export function readConformanceChatResponse(body: JsonObject): ConformanceResponse {
  const choice = objectOrEmpty(asArrayOrEmpty(body["choices"])[0]);
  const message = objectOrEmpty(choice["message"]);
  return {
    id: String(body["id"]),
    model: String(body["model"]),
    text: typeof message["content"] === "string" ? message["content"] : "",
    calls: asArrayOrEmpty(message["tool_calls"]).map((call) => readCall(objectOrEmpty(call))),
    stop: stops.get(String(choice["finish_reason"])) ?? "other",
    usage: readUsage(body["usage"]),
  };
}

function readCall(call: JsonObject): ConformanceToolCall {
  const { name, arguments: text } = objectOrEmpty(call["function"]);
  return { id: String(call["id"]), name: String(name), arguments: String(text) };
}

function readUsage(value: unknown): ConformanceResponseUsage | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const usage = objectOrEmpty(value);
  return {
    input: readCountOrZero(usage["prompt_tokens"]),
    cached: readCountOrZero(objectOrEmpty(usage["prompt_tokens_details"])["cached_tokens"]),
    output: readCountOrZero(usage["completion_tokens"]),
    total: readCountOrZero(usage["total_tokens"]),
  };
}

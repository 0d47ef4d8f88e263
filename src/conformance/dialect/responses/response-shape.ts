import { requiredResponseObjectMembers } from "../../grammar/responses.ts";
import { objectOrEmpty } from "../../grammar/fields.ts";
import type { JsonObject } from "../../../platform/json-value.ts";
import { isCount, isNonEmptyString, isUnixTime, ConformanceViolationCollector } from "../shape.ts";
import { asArrayOrEmpty } from "../../../platform/json-value.ts";
import type { DialectConformanceViolations } from "../conformance-dialect.ts";

const statuses = new Set<unknown>(["completed", "incomplete", "failed"]);

/** Whether a body is a response as the official types have it. */
export function checkResponsesResponseBody(body: JsonObject): DialectConformanceViolations {
  const shape = new ConformanceViolationCollector();
  const lacking = requiredResponseObjectMembers.filter((name) => !(name in body));
  shape.expect(lacking.length === 0, `The response lacks \`${lacking.join("`, `")}\`.`);
  shape.expect(body["object"] === "response", "`object` is not `response`.");
  shape.expect(isNonEmptyString(body["id"]), "`id` is missing.");
  shape.expect(isUnixTime(body["created_at"]), "`created_at` is no time in seconds.");
  shape.expect(statuses.has(body["status"]), `\`status\` is \`${String(body["status"])}\`.`);
  for (const item of asArrayOrEmpty(body["output"])) checkItem(objectOrEmpty(item), shape);
  if (body["status"] === "incomplete") {
    const { reason } = objectOrEmpty(body["incomplete_details"]);
    shape.expect(isNonEmptyString(reason), "An incomplete response tells no reason.");
  }
  if (isSet(body["usage"])) checkUsage(objectOrEmpty(body["usage"]), shape);
  return shape.faults;
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function checkItem(item: JsonObject, shape: ConformanceViolationCollector): void {
  const { type, id, content } = item;
  shape.expect(isNonEmptyString(type), "An item has no `type`.");
  if (type === "message") {
    shape.expect(isNonEmptyString(id), "A message has no `id`.");
    shape.expect(item["role"] === "assistant", "`role` of a message is not `assistant`.");
    for (const part of asArrayOrEmpty(content)) checkPart(objectOrEmpty(part), shape);
  }
  if (type !== "function_call") return;
  shape.expect(isNonEmptyString(item["call_id"]), "A call has no `call_id`.");
  shape.expect(isNonEmptyString(item["name"]), "A call has no `name`.");
  shape.expect(typeof item["arguments"] === "string", "`arguments` of a call is not a text.");
}

function checkPart(part: JsonObject, shape: ConformanceViolationCollector): void {
  if (part["type"] !== "output_text") return;
  shape.expect(typeof part["text"] === "string", "A part has no `text`.");
  shape.expect(Array.isArray(part["annotations"]), "A part has no `annotations`.");
}

function checkUsage(usage: JsonObject, shape: ConformanceViolationCollector): void {
  const cached = objectOrEmpty(usage["input_tokens_details"])["cached_tokens"];
  const reasoning = objectOrEmpty(usage["output_tokens_details"])["reasoning_tokens"];
  for (const name of ["input_tokens", "output_tokens", "total_tokens"]) {
    shape.expect(isCount(usage[name]), `\`usage.${name}\` is no count.`);
  }
  shape.expect(isCount(cached), "`usage.input_tokens_details.cached_tokens` is no count.");
  shape.expect(isCount(reasoning), "`usage.output_tokens_details.reasoning_tokens` is no count.");
}

import { objectOrEmpty } from "../../grammar/fields.ts";
import type { JsonObject } from "../../../platform/json-value.ts";
import { isCount, isNonEmptyString, isUnixTime, ConformanceViolationCollector } from "../shape.ts";
import { asArrayOrEmpty } from "../../../platform/json-value.ts";
import type { DialectConformanceViolations } from "../conformance-dialect.ts";

const finishReasons = new Set<unknown>([
  "stop",
  "length",
  "tool_calls",
  "content_filter",
  "function_call",
]);

/** Whether a body is a chat completion as the official types have it. */
export function checkChatResponse(body: JsonObject): DialectConformanceViolations {
  const shape = new ConformanceViolationCollector();
  shape.expect(body["object"] === "chat.completion", "`object` is not `chat.completion`.");
  shape.expect(isNonEmptyString(body["id"]), "`id` is missing.");
  shape.expect(isNonEmptyString(body["model"]), "`model` is missing.");
  shape.expect(isUnixTime(body["created"]), "`created` is no time in seconds.");
  const choices = asArrayOrEmpty(body["choices"]);
  shape.expect(choices.length > 0, "`choices` is empty.");
  for (const choice of choices) checkChoice(objectOrEmpty(choice), shape);
  checkUsage(body["usage"], shape);
  return shape.faults;
}

function checkChoice(choice: JsonObject, shape: ConformanceViolationCollector): void {
  const message = objectOrEmpty(choice["message"]);
  shape.expect(isCount(choice["index"]), "`index` of a choice is missing.");
  shape.expect(message["role"] === "assistant", "The message's `role` is not `assistant`.");
  const { content } = message;
  const isSaid = typeof content === "string" || content === null;
  shape.expect(isSaid, "`content` is neither a text nor null.");
  const reason = choice["finish_reason"];
  shape.expect(finishReasons.has(reason), `\`finish_reason\` is \`${String(reason)}\`.`);
  for (const call of asArrayOrEmpty(message["tool_calls"])) checkCall(objectOrEmpty(call), shape);
}

function checkCall(call: JsonObject, shape: ConformanceViolationCollector): void {
  const said = objectOrEmpty(call["function"]);
  shape.expect(isNonEmptyString(call["id"]), "A call has no `id`.");
  shape.expect(call["type"] === "function", "`type` of a call is not `function`.");
  shape.expect(isNonEmptyString(said["name"]), "A call has no name.");
  shape.expect(typeof said["arguments"] === "string", "`arguments` of a call is not a text.");
}

function checkUsage(value: unknown, shape: ConformanceViolationCollector): void {
  if (value === undefined || value === null) return;
  const usage = objectOrEmpty(value);
  for (const name of ["prompt_tokens", "completion_tokens", "total_tokens"]) {
    shape.expect(isCount(usage[name]), `\`usage.${name}\` is no count.`);
  }
}

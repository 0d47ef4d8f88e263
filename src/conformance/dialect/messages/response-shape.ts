import { objectOrEmpty } from "../../grammar/fields.ts";
import type { JsonObject } from "../../../platform/json-value.ts";
import { isCount, isNonEmptyString, ConformanceViolationCollector } from "../shape.ts";
import { asArrayOrEmpty } from "../../../platform/json-value.ts";
import type { DialectConformanceViolations } from "../conformance-dialect.ts";

const stopReasons = new Set<unknown>([
  "end_turn",
  "max_tokens",
  "stop_sequence",
  "tool_use",
  "pause_turn",
  "refusal",
  "model_context_window_exceeded",
  "compaction",
]);

const callId = /^[A-Za-z0-9_-]+$/;

/** Whether a body is a message as the official types have it. */
export function checkMessagesResponse(body: JsonObject): DialectConformanceViolations {
  const shape = new ConformanceViolationCollector();
  shape.expect(body["type"] === "message", "`type` is not `message`.");
  shape.expect(body["role"] === "assistant", "`role` is not `assistant`.");
  shape.expect(isNonEmptyString(body["id"]), "`id` is missing.");
  shape.expect(isNonEmptyString(body["model"]), "`model` is missing.");
  shape.expect(Array.isArray(body["content"]), "`content` is no array.");
  const reason = body["stop_reason"];
  shape.expect(stopReasons.has(reason), `\`stop_reason\` is \`${String(reason)}\`.`);
  shape.expect("stop_sequence" in body, "`stop_sequence` is missing, not even null.");
  for (const block of asArrayOrEmpty(body["content"])) checkBlock(objectOrEmpty(block), shape);
  const usage = objectOrEmpty(body["usage"]);
  for (const name of ["input_tokens", "output_tokens"]) {
    shape.expect(isCount(usage[name]), `\`usage.${name}\` is no count.`);
  }
  return shape.faults;
}

function checkBlock(block: JsonObject, shape: ConformanceViolationCollector): void {
  const { type } = block;
  shape.expect(isNonEmptyString(type), "A block has no `type`.");
  if (type === "text") {
    shape.expect(
      isNonEmptyString(block["text"]),
      "A text block is empty; sent back, it is refused.",
    );
  }
  if (type !== "tool_use") return;
  const { id, name, input } = block;
  shape.expect(
    isNonEmptyString(id) && callId.test(id),
    "The `id` of a call has illegal characters.",
  );
  shape.expect(isNonEmptyString(name), "A call has no `name`.");
  shape.expect(
    typeof input === "object" && input !== null && !Array.isArray(input),
    "`input` of a call is no object.",
  );
}

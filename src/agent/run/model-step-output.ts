import {
  asNumber,
  asObject,
  asString,
  asJsonObjectElements,
  type JsonObject,
} from "../../dialect/json.ts";
import type { ResponsesStreamEvent } from "../../domain/durable-turn.ts";
import type { ModelStepOutput } from "./agent-progress.ts";

/** Of a step that is no model call. */
export const emptyModelStepOutput: ModelStepOutput = {
  output: [],
  incompleteReason: undefined,
  completedAt: undefined,
};

/** What the last event of a model call tells; `items`: what was streamed, for one that tells no output. */
export function readModelStepOutput(
  terminal: ResponsesStreamEvent,
  items: readonly JsonObject[],
): ModelStepOutput {
  const response = asObject(terminal["response"]) ?? {};
  const output = asJsonObjectElements(response["output"]);
  const reason = asString(asObject(response["incomplete_details"])?.["reason"]);
  const isIncomplete = terminal.type === "response.incomplete";
  return {
    output: output.length > 0 ? output : items,
    incompleteReason: isIncomplete ? (reason ?? "max_output_tokens") : undefined,
    completedAt: asNumber(response["completed_at"]),
  };
}

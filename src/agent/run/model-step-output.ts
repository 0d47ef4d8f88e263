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

/** Reads the last event of a model call; `toItems` returns the items of an answer with this output. */
export function readModelStepOutput(
  terminal: ResponsesStreamEvent,
  toItems: (output: readonly JsonObject[]) => readonly JsonObject[],
): ModelStepOutput {
  const response = asObject(terminal["response"]) ?? {};
  const reason = asString(asObject(response["incomplete_details"])?.["reason"]);
  const isIncomplete = terminal.type === "response.incomplete";
  return {
    output: toItems(asJsonObjectElements(response["output"])),
    incompleteReason: isIncomplete ? (reason ?? "max_output_tokens") : undefined,
    completedAt: asNumber(response["completed_at"]),
  };
}

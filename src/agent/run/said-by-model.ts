import { asNumber, asObject, asString, objectsIn, type JsonObject } from "../../dialect/json.ts";
import type { ResponseEvent } from "../../kernel/durable-turn.ts";
import type { SaidByModel } from "./agent-progress.ts";

/** Of a step that is no model call. */
export const nothingSaid: SaidByModel = {
  output: [],
  incomplete: undefined,
  completedAt: undefined,
};

/** What the last event of a model call tells; `items`: what was streamed, for one that tells no output. */
export function saidByModel(terminal: ResponseEvent, items: readonly JsonObject[]): SaidByModel {
  const response = asObject(terminal["response"]) ?? {};
  const output = objectsIn(response["output"]);
  const reason = asString(asObject(response["incomplete_details"])?.["reason"]);
  const isIncomplete = terminal.type === "response.incomplete";
  return {
    output: output.length > 0 ? output : items,
    incomplete: isIncomplete ? (reason ?? "max_output_tokens") : undefined,
    completedAt: asNumber(response["completed_at"]),
  };
}

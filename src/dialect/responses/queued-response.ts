import { asString, type JsonObject } from "../json.ts";
import { buildResponsesEchoedSettings } from "./response-object.ts";

/** What a response is made of that waits to be answered. */
export interface ResponsesQueuedResponseInput {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  /** The request. */
  readonly body: JsonObject;
}

/** The response object, complete, of an answer that is made in the background and has not begun. */
export function buildResponsesQueuedResponse({
  id,
  created,
  body,
}: ResponsesQueuedResponseInput): JsonObject {
  return {
    id,
    object: "response",
    created_at: created,
    completed_at: null,
    status: "queued",
    error: null,
    incomplete_details: null,
    model: body["model"],
    output: [],
    usage: null,
    ...buildResponsesEchoedSettings(body),
    background: true,
    store: true,
    previous_response_id: asString(body["previous_response_id"]) ?? null,
  };
}

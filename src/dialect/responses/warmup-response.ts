import { asString, type JsonObject } from "../json.ts";
import { addResponseIdPrefix } from "./item-ids.ts";
import { buildResponsesEchoedSettings } from "./response-object.ts";
import { encodeResponsesUsage } from "./usage.ts";

/** What a response is made of that no model was asked for. */
export interface ResponsesWarmupResponseInput {
  /** 26 characters. */
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  /** The request. */
  readonly body: JsonObject;
}

const nothingUsed = encodeResponsesUsage({ input: 0, cacheRead: 0, cacheWrite: 0, output: 0 });

/**
 * The events of a request with `generate: false`, as the vendor's WebSocket mode has it:
 * an answer without output, whose id the next request goes on from.
 */
export function buildResponsesWarmupEvents(
  warmed: ResponsesWarmupResponseInput,
): readonly JsonObject[] {
  const begun = warmedResponse(warmed);
  const state = { completed_at: warmed.created, status: "completed", usage: nothingUsed };
  return [
    { type: "response.created", sequence_number: 0, response: begun },
    { type: "response.completed", sequence_number: 1, response: { ...begun, ...state } },
  ];
}

function warmedResponse({ id, created, body }: ResponsesWarmupResponseInput): JsonObject {
  return {
    id: addResponseIdPrefix(id),
    object: "response",
    created_at: created,
    completed_at: null,
    status: "in_progress",
    error: null,
    incomplete_details: null,
    model: body["model"],
    output: [],
    usage: null,
    ...buildResponsesEchoedSettings(body),
    store: false,
    previous_response_id: asString(body["previous_response_id"]) ?? null,
  };
}

import { MalformedResponseError } from "../codec.ts";
import { asArrayOrEmpty, asObject, asString, type JsonObject } from "../json.ts";
import { parseResponseServiceTier } from "../service-tier.ts";
import type { NeutralResponsePart, NeutralResponse } from "../neutral-response.ts";
import type { NeutralEnd, NeutralError } from "../neutral-event.ts";
import { decodeResponsesFinishReason, decodeResponsesIncompleteReason } from "./finish-reason.ts";
import { decodeResponsesOutputItem } from "./output-parts.ts";
import { decodeResponsesUsage } from "./usage.ts";

/**
 * Reads a whole response. Items of the vendor's own tools are left out; their
 * citations stand in the text. Throws `MalformedResponseError` for what is no response
 * or none that has ended.
 */
export function decodeResponsesResponse(body: JsonObject): NeutralResponse {
  const failure = decodeResponsesResponseFailure(body);
  if (failure === undefined && !Array.isArray(body["output"])) {
    throw new MalformedResponseError("sent an answer without `output`");
  }
  const parts = asArrayOrEmpty(body["output"]).flatMap(decodeResponsesOutputItem);
  const usage = decodeResponsesUsage(body["usage"]);
  return failure === undefined
    ? {
        parts,
        end: {
          ...decodeResponseStopReason(body, parts),
          tier: parseResponseServiceTier(body["service_tier"]),
        },
        error: undefined,
        usage,
      }
    : { parts, end: undefined, error: failure, usage };
}

/** The error of a failed response, or of a body that is nothing but an error. */
export function decodeResponsesResponseFailure(body: JsonObject): NeutralError | undefined {
  const status = asString(body["status"]);
  const error = asObject(body["error"]);
  if (error !== undefined) return decodeResponsesResponseError(error);
  if (status !== "failed" && status !== "cancelled") return undefined;
  return { type: undefined, code: undefined, message: `The upstream's response is ${status}.` };
}

export function decodeResponsesResponseError(error: JsonObject): NeutralError {
  return {
    type: asString(error["type"]),
    code: asString(error["code"]),
    message: asString(error["message"]) ?? "The upstream failed.",
    param: asString(error["param"]),
  };
}

/** The end that a response with these parts tells. Throws for one that has not ended. */
export function decodeResponseStopReason(
  body: JsonObject,
  parts: readonly NeutralResponsePart[],
): NeutralEnd {
  const status = asString(body["status"]) ?? "completed";
  if (status === "incomplete") {
    return decodeResponsesIncompleteReason(
      asString(asObject(body["incomplete_details"])?.["reason"]),
    );
  }
  if (status !== "completed") throw new MalformedResponseError(`sent an answer that is ${status}`);
  return decodeResponsesFinishReason({
    hasCalls: parts.some(({ type }) => type === "tool-call"),
    hasRefusal: parts.some(({ type }) => type === "refusal"),
  });
}

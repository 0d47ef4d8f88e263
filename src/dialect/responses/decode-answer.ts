import { MalformedAnswer } from "../codec.ts";
import { asArray, asObject, asString, type JsonObject } from "../json.ts";
import { readOpenTier } from "../service-tier.ts";
import type { AnswerPart, TurnAnswer } from "../turn-answer.ts";
import type { TurnEnd, TurnError } from "../turn-event.ts";
import { decodeFinish, decodeIncomplete } from "./finish-reason.ts";
import { itemParts } from "./output-parts.ts";
import { decodeUsage } from "./usage.ts";

/**
 * Reads a whole response. Items of the vendor's own tools are left out; their
 * citations stand in the text. Throws `MalformedAnswer` for what is no response
 * or none that has ended.
 */
export function decodeAnswer(body: JsonObject): TurnAnswer {
  const failure = decodeFailure(body);
  if (failure === undefined && !Array.isArray(body["output"])) {
    throw new MalformedAnswer("sent an answer without `output`");
  }
  const parts = asArray(body["output"]).flatMap(itemParts);
  const usage = decodeUsage(body["usage"]);
  return failure === undefined
    ? {
        parts,
        end: { ...decodeEnd(body, parts), tier: readOpenTier(body["service_tier"]) },
        error: undefined,
        usage,
      }
    : { parts, end: undefined, error: failure, usage };
}

/** The error of a failed response, or of a body that is nothing but an error. */
export function decodeFailure(body: JsonObject): TurnError | undefined {
  const status = asString(body["status"]);
  const error = asObject(body["error"]);
  if (error !== undefined) return decodeError(error);
  if (status !== "failed" && status !== "cancelled") return undefined;
  return { type: undefined, code: undefined, message: `The upstream's response is ${status}.` };
}

export function decodeError(error: JsonObject): TurnError {
  return {
    type: asString(error["type"]),
    code: asString(error["code"]),
    message: asString(error["message"]) ?? "The upstream failed.",
    param: asString(error["param"]),
  };
}

/** The end that a response with these parts tells. Throws for one that has not ended. */
export function decodeEnd(body: JsonObject, parts: readonly AnswerPart[]): TurnEnd {
  const status = asString(body["status"]) ?? "completed";
  if (status === "incomplete") {
    return decodeIncomplete(asString(asObject(body["incomplete_details"])?.["reason"]));
  }
  if (status !== "completed") throw new MalformedAnswer(`sent an answer that is ${status}`);
  return decodeFinish({
    hasCalls: parts.some(({ type }) => type === "tool-call"),
    hasRefusal: parts.some(({ type }) => type === "refusal"),
  });
}

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { notOurs, refusal, type CallError } from "../call-error.ts";
import { isJsonObject } from "../../contract/json/decode-json.ts";
import { textIn } from "../text-in.ts";

/**
 * What an answer without success says, in its dialect's error object or in the flat one
 * of the other routes. An upstream's own words are passed on, so that any member may be
 * missing. `place` and `variable`: as for `callError`.
 */
export async function refusalIn(
  answer: Response,
  place: string,
  variable: string,
): Promise<CallError> {
  const body = objectIn(await answer.text());
  const error = isJsonObject(body["error"]) ? body["error"] : body;
  const message = textIn(error, "message");
  if (message === "") return notOurs(place, `HTTP ${answer.status.toString()}`, variable);
  return callErrorOf(error, message, answer.status.toString());
}

/** The error that a response ended with, or a stream. */
export function callErrorOf(error: JsonObject, message: string, otherCode: string): CallError {
  const code = textIn(error, "error") || textIn(error, "code") || textIn(error, "type");
  const { suggestions } = error;
  return refusal({
    code: code || otherCode,
    param: textIn(error, "param"),
    message,
    suggestions: Array.isArray(suggestions) ? suggestions.filter(isText) : [],
    docUrl: textIn(error, "doc_url"),
  });
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === "string";
}

function objectIn(text: string): JsonObject {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

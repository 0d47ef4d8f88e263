import { asObject, asString, type JsonObject } from "../json.ts";
import type { NeutralError } from "../neutral-event.ts";

/**
 * The error that an upstream told where an answer was expected, in any of the
 * shapes in use: nested, flat, a text alone. Undefined: it told none.
 */
export function decodeChatUpstreamError(body: JsonObject): NeutralError | undefined {
  const { error } = body;
  if (error === undefined || error === null || error === false) return undefined;
  const nested = asObject(error);
  if (nested === undefined) return flatError(body, asString(error) ?? JSON.stringify(error));
  return {
    type: asString(nested["type"]),
    code: codeOf(nested["code"]),
    message: asString(nested["message"]) ?? "The upstream reported an error without a message.",
  };
}

/** An error event whose data is no error body. */
export function toChatNeutralErrorFromEvent(body: JsonObject): NeutralError {
  const told = decodeChatUpstreamError(body);
  if (told !== undefined) return told;
  const { type, code, message } = body;
  const text = asString(message) ?? "The upstream reported an error without a message.";
  return { type: asString(type), code: codeOf(code), message: text };
}

function flatError(body: JsonObject, error: string): NeutralError {
  const { type, code, message } = body;
  return { type: asString(type), code: codeOf(code), message: asString(message) ?? error };
}

function codeOf(code: unknown): string | undefined {
  return typeof code === "number" ? String(code) : asString(code);
}

import { asElements, asObject, type JsonObject } from "../../dialect/json.ts";
import type { Dialect } from "../../platform/configuration/configuration.ts";
import { countCodePoints, estimateTextTokens } from "./text-length.ts";

/** Members of a body, of any dialect, that hold what the model reads. */
const textMembers: ReadonlySet<string> = new Set([
  "messages",
  "system",
  "instructions",
  "input",
  "content",
  "text",
  "thinking",
  "output",
]);

/**
 * Code points of all text in the body of a model call: what the messages, the system text,
 * the instructions and the input say; no names, ids, roles or base64.
 */
export function promptTextLength(body: JsonObject): number {
  let length = 0;
  for (const [name, value] of Object.entries(body)) {
    if (textMembers.has(name)) length += textLength(value);
  }
  return length;
}

/** Estimated tokens of that text. An embeddings call may give tokens instead, in a list or several: they are counted. */
export function estimatePromptTokens(body: JsonObject): number {
  const tokens = asElements(body["input"])
    .flat()
    .filter((item) => typeof item === "number");
  return estimateTextTokens(promptTextLength(body)) + tokens.length;
}

function textLength(value: unknown): number {
  if (typeof value === "string") return countCodePoints(value);
  const object = asObject(value);
  if (object !== undefined) return promptTextLength(object);
  return asElements(value).reduce<number>((total, item) => total + textLength(item), 0);
}

/** Where a caller of each dialect says how long its answer may be; the first that is given counts. */
const capMembers: Readonly<Record<Dialect, readonly string[]>> = {
  dialect_chat: ["max_completion_tokens", "max_tokens"],
  dialect_messages: ["max_tokens"],
  dialect_responses: ["max_output_tokens"],
};

/**
 * Output tokens that a caller asks for at most; undefined: as many as the model
 * gives. A cap of another dialect is none: no upstream keeps to it.
 */
export function readMaxOutputTokens(dialect: Dialect, body: JsonObject): number | undefined {
  const caps = capMembers[dialect].map((name) => body[name]);
  const cap = caps.find((value) => typeof value === "number" && value >= 0);
  return cap === undefined ? undefined : Math.ceil(Number(cap));
}

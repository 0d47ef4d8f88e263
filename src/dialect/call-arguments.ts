import { countJsonValues } from "../platform/json-splice/count-values.ts";
import { asObject, type JsonObject } from "./json.ts";
import { exceedsMaxJsonDepth } from "./nesting-limit.ts";
import { maxJsonDepth } from "../platform/json-splice/end-of-value.ts";

/** Tells a model that the arguments that it wrote are not one JSON object. */
export const invalidArgumentsMessage =
  "The arguments are no JSON object; send one as the tool's schema says.";

/** Bytes of the arguments of one call that are parsed. */
const maxArgumentBytes = 1024 * 1024;
/** Objects, lists, members and items of them: a hundred times as many distinct names take seconds to parse. */
const maxArgumentValues = 20_000;

/** Tells a model that the arguments that it wrote are more than are parsed. */
export const argumentsTooLargeMessage = `The arguments are too large: at most 1 MiB and ${maxArgumentValues} values are read. Send less in one call.`;

/** Tells a model that the arguments that it wrote nest deeper than is parsed. */
const deepArguments = `The arguments nest too deep: at most ${maxJsonDepth} levels are read.`;

/** The arguments of a tool call, or the error that the model reads in their place. */
export type ParsedToolArguments = { readonly value: JsonObject } | { readonly error: string };

/**
 * Parses the arguments of a tool call; some vendors write none as no text at all. Anything but
 * one JSON object of at most 1 MiB, 20 000 values and 256 levels is an error, and the larger is
 * not parsed.
 */
export function parseToolArguments(text: string): ParsedToolArguments {
  if (text.trim() === "") return { value: {} };
  if (Buffer.byteLength(text) > maxArgumentBytes || exceedsMaxToolArgumentValues(text))
    return { error: argumentsTooLargeMessage };
  if (exceedsMaxJsonDepth(text)) return { error: deepArguments };
  try {
    const value = asObject(JSON.parse(text));
    return value === undefined ? { error: invalidArgumentsMessage } : { value };
  } catch {
    return { error: invalidArgumentsMessage };
  }
}

/** Whether the JSON text of a call's arguments has more values than are parsed. */
export function exceedsMaxToolArgumentValues(text: string): boolean {
  // Each value takes a character.
  if (text.length <= maxArgumentValues) return false;
  return countJsonValues(Buffer.from(text), maxArgumentValues) > maxArgumentValues;
}

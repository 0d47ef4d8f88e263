import { asObject, type JsonObject } from "./json.ts";

/** Tells a model that `parseCallArguments` cannot read what it wrote. */
export const unreadableArguments =
  "The arguments are no JSON object; send one as the tool's schema says.";

/** Parses the arguments of a tool call; some vendors write none as no text at all. Returns undefined unless they are exactly one JSON object. */
export function parseCallArguments(text: string): JsonObject | undefined {
  if (text.trim() === "") return {};
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

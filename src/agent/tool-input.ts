import { asObject, type JsonObject } from "../dialect/json.ts";

/** What the model reads whose arguments are none. */
export const badToolInput = "The arguments are no JSON object; send one as the tool's schema says.";

/** The arguments of a call; some vendors write none as no text at all. Undefined: they are no object. */
export function toolInput(text: string): JsonObject | undefined {
  if (text.trim() === "") return {};
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

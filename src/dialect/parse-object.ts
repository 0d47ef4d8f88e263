import { asObject, type JsonObject } from "./json.ts";

const nothing: JsonObject = {};

/** The object that a text is; an empty one for a text that is none, as one of an upstream may be. */
export function parseJsonObjectOrEmpty(text: string): JsonObject {
  try {
    return asObject(JSON.parse(text)) ?? nothing;
  } catch {
    return nothing;
  }
}

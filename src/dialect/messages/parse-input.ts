import type { JsonObject } from "../json.ts";
import { exceedsMaxJsonDepth } from "../nesting-limit.ts";
import { maxJsonDepth } from "../../platform/json-splice/end-of-value.ts";
import { parseLosslessJsonObject } from "../parse-exact.ts";

/** Parses the arguments of a call in a request. Returns undefined for anything but one object, and for one that nests too deep. */
export function parseMessagesToolUseInput(text: string): JsonObject | undefined {
  if (exceedsMaxJsonDepth(text)) return undefined;
  try {
    return parseLosslessJsonObject(text);
  } catch {
    return undefined;
  }
}

/** Says what is wrong with arguments that `parseMessagesToolUseInput` cannot read. */
export function formatMessagesInvalidToolUseInputError(path: string): string {
  return `\`${path}\` must be the JSON text of an object of at most ${maxJsonDepth} levels.`;
}

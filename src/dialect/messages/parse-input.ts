import type { JsonObject } from "../json.ts";
import { maxJsonLevels, exceedsMaxLevels } from "../nesting-limit.ts";
import { parseExactObject } from "../parse-exact.ts";

/** Parses the arguments of a call in a request. Returns undefined for anything but one object, and for one that nests too deep. */
export function parseInput(text: string): JsonObject | undefined {
  if (exceedsMaxLevels(text)) return undefined;
  try {
    return parseExactObject(text);
  } catch {
    return undefined;
  }
}

/** Says what is wrong with arguments that `parseInput` cannot read. */
export function formatInvalidInputErrorMessage(path: string): string {
  return `\`${path}\` must be the JSON text of an object of at most ${maxJsonLevels} levels.`;
}

import { toStorableJsonText } from "../platform/database/storable-text.ts";

/** Several times what the longest usage object of a vendor takes. */
const mostUsageCharacters = 16_384;

/**
 * An upstream's own usage object as JSON text for its ledger row. Null where it
 * told none, or one that is longer than usage is or nested too deep to be printed:
 * the row itself, with the counts that were read, is written all the same.
 */
export function serializeRawUsageOrNull(raw: unknown): string | null {
  if (raw === undefined || raw === null) return null;
  const text = print(raw);
  return text === undefined || text.length > mostUsageCharacters ? null : toStorableJsonText(text);
}

/** V8 reads JSON of any depth, and prints it only as deep as its stack is. */
function print(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

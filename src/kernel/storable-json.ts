/**
 * JSON text as PostgreSQL can store it: its `jsonb` takes neither U+0000 nor half a
 * surrogate pair, and one of either, which a caller or an upstream may send, would
 * keep the rows of everybody from being written. Both become U+FFFD.
 */
export function storableJson(text: string): string {
  return text.includes(escapeOfCode) ? text.replaceAll(escapes, storableEscape) : text;
}

/** Made once: a tagged template is no literal to V8. */
const escapeOfCode = String.raw`\u`;

/** Escapes are taken whole, so that an escaped backslash before a `u` stays what it is. */
const escapes = /\\(?:u[0-9a-f]{4}|.)/gi;

function storableEscape(escape: string): string {
  return /^\\u(?:0000|d[89a-f])/i.test(escape) ? String.raw`\ufffd` : escape;
}

/** Several times what the longest usage object of a vendor takes. */
const mostUsageCharacters = 16_384;

/**
 * An upstream's own usage object as JSON text for its ledger row. Null where it
 * told none, or one that is longer than usage is or nested too deep to be printed:
 * the row itself, with the counts that were read, is written all the same.
 */
export function storableUsage(raw: unknown): string | null {
  if (raw === undefined || raw === null) return null;
  const text = print(raw);
  return text === undefined || text.length > mostUsageCharacters ? null : storableJson(text);
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

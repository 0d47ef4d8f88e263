/**
 * JSON text as PostgreSQL can store it: its `jsonb` takes neither U+0000 nor half a
 * surrogate pair, and one of either, which a caller or an upstream may send, would
 * keep the rows of everybody from being written. Both become U+FFFD.
 */
export function storableJson(text: string): string {
  return text.includes(String.raw`\u`) ? text.replaceAll(escapes, storableEscape) : text;
}

/** Escapes are taken whole, so that an escaped backslash before a `u` stays what it is. */
const escapes = /\\(?:u[0-9a-f]{4}|.)/gi;

function storableEscape(escape: string): string {
  return /^\\u(?:0000|d[89a-f])/i.test(escape) ? String.raw`\ufffd` : escape;
}

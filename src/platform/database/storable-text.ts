/**
 * Text as PostgreSQL can store it: it takes neither U+0000 nor half a surrogate pair, which
 * a caller, a model or an upstream may send. Both become U+FFFD.
 */
export function toStorableText(text: string): string {
  const wellFormed = text.toWellFormed();
  return wellFormed.includes("\0") ? wellFormed.replaceAll("\0", "\ufffd") : wellFormed;
}

/** The value of a statement, with every text in it as `toStorableText` makes it. */
export function toStorableStatementParameter(value: unknown): unknown {
  if (typeof value === "string") return toStorableText(value);
  return Array.isArray(value) ? value.map(toStorableStatementParameter) : value;
}

/** The same for JSON text, where both stand as escapes, which `jsonb` refuses. */
export function toStorableJsonText(text: string): string {
  return text.includes(escapeOfCode) ? text.replaceAll(escapes, storableEscape) : text;
}

/** Made once: a tagged template is no literal to V8. */
const escapeOfCode = String.raw`\u`;

/** Escapes are taken whole, so that an escaped backslash before a `u` stays what it is. */
const escapes = /\\(?:u[0-9a-f]{4}|.)/gi;

function storableEscape(escape: string): string {
  return /^\\u(?:0000|d[89a-f])/i.test(escape) ? String.raw`\ufffd` : escape;
}

/** Whether PostgreSQL stores a text as it is: without a NUL character and half a surrogate pair. */
export function isStorableText(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}

/** Control characters, but for those that lay a text out. */
const controls = /[\p{Cc}\u2028\u2029]/gu;

/** A text without control characters and halves of surrogate pairs, cut with `…` to at most so many UTF-16 units. */
export function sanitizeToolText(text: string, longest: number): string {
  const clean = text
    .slice(0, longest + 1)
    .replaceAll(controls, (control) => (control === "\n" || control === "\t" ? control : " "));
  const cut = clean.length > longest ? `${clean.slice(0, longest - 1)}…` : clean;
  return cut.toWellFormed();
}

import { replacePathIndexes, type ConversionWarning } from "../../dialect/conversion-warning.ts";

/** Beyond this many, entries that differ only in indexes are one. */
const maxListed = 32;

/** Headers beyond 8 KiB are refused by proxies; this leaves room for the others. */
const maxBytes = 4096;

/**
 * `x-svc-warnings`: a structured-field list (RFC 9651) of body paths, each with
 * what became of it and why. Undefined when nothing was lost.
 */
export function formatWarningsHeader(losses: readonly ConversionWarning[]): string | undefined {
  if (losses.length === 0) return undefined;
  const listed = losses.length > maxListed ? fold(losses) : losses;
  const entries = new Set(listed.map(serializeLoss));
  return cut([...entries]);
}

/** Sorts by path without indexes, so that the same loss in many places is one entry. */
function fold(losses: readonly ConversionWarning[]): readonly ConversionWarning[] {
  return losses.map((loss) => ({ ...loss, path: replacePathIndexes(loss.path) }));
}

function serializeLoss({ path, action, reason }: ConversionWarning): string {
  return `${serializeString(path)};action=${action};reason=${reason}`;
}

/** An RFC 9651 String holds visible ASCII only; anything else in a field name becomes `?`. */
function serializeString(text: string): string {
  return `"${text.replaceAll(/[^\x20-\x7e]/g, "?").replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

/**
 * A list cut at an entry is still a list; its last entry says that there are more. Libraries
 * print whole lists, however long.
 */
function cut(entries: readonly string[]): string {
  const more = `"*";action=dropped;reason=more`;
  let text = "";
  for (const entry of entries) {
    const next = text === "" ? entry : `${text}, ${entry}`;
    if (next.length + more.length + 2 > maxBytes) return `${text}, ${more}`;
    text = next;
  }
  return text;
}

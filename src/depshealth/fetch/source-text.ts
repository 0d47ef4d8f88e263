import { asNonBlankString, asNonBlankStrings } from "../../platform/json-value.ts";

/** In UTF-16 code units, the ellipsis included. */
const longestText = 1000;
const longestUrl = 2000;
/** No registry takes longer names or versions, and no database longer ids. */
const longestName = 256;
/** More than anybody lists of one thing: aliases of an advisory, versions that fix it. */
export const maxListedDataSourceIdentifiers = 100;

/** Line breaks and characters that steer a terminal or a log. */
const control = /[\p{Cc}\u2028\u2029]+/gu;

/**
 * A text of a publisher or source as it becomes a fact: on one line, of at most
 * 1000 characters, cut with an ellipsis. Undefined for anything but a string with
 * something to see in it. Strangers choose how long the texts are that answers repeat.
 */
export function truncateToOneLine(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  // What is cut anyway need not be read.
  const line = value
    .trimStart()
    .slice(0, 2 * longestText)
    .replaceAll(control, " ")
    .trim();
  if (line === "") return undefined;
  if (line.length <= longestText && value.trim().length <= 2 * longestText) return line;
  return `${line.slice(0, longestText - 1).toWellFormed()}…`;
}

/**
 * Whether a text can be a name, a version or an id: at most 256 characters on one line. A
 * part of another would name something else.
 */
export function isUsableDataSourceIdentifier(text: string): boolean {
  return text.length <= longestName && text.search(control) === -1;
}

/**
 * Names, versions or ids: the first 100 texts of a list that can be one.
 */
export function asUsableIdentifiers(value: unknown): readonly string[] {
  return asNonBlankStrings(value)
    .filter(isUsableDataSourceIdentifier)
    .slice(0, maxListedDataSourceIdentifiers);
}

/** An address as it was written. Undefined when it is none, or longer than 2000 characters: a part of one leads elsewhere. */
export function asUrlWithinLengthLimit(value: unknown): string | undefined {
  const url = asNonBlankString(value);
  return url === undefined || url.length > longestUrl ? undefined : url;
}

import { truncateToOneLine } from "./source-text.ts";
import {
  asArrayOrEmpty,
  asJsonObjectOrEmpty,
  asNonBlankString,
} from "../../platform/json-value.ts";

/** Longer ones are whole licences, not their names. */
const maxNameLength = 100;

/**
 * The licence that a registry's field names: a text, an object of npm's old form
 * (`type`), or a list of them. Undefined where none is named.
 */
export function readLicenseName(value: unknown): string | undefined {
  const named = Array.isArray(value) ? asArrayOrEmpty(value).flatMap(nameOf) : nameOf(value);
  const text = [...new Set(named)].join(", ");
  return text === "" || text.length > maxNameLength ? undefined : text;
}

/** PyPI writes `UNKNOWN` where nothing was said. */
function nameOf(value: unknown): readonly string[] {
  const { type, name: named } = asJsonObjectOrEmpty(value);
  const name = asNonBlankString(value) ?? asNonBlankString(type) ?? asNonBlankString(named);
  // Of several lines is a whole licence.
  if (name === undefined || name.includes("\n")) return [];
  const text = truncateToOneLine(name);
  return text === undefined || /^unknown$/i.test(text) ? [] : [text];
}

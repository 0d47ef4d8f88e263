import { asList, asRecord, asText } from "../../platform/json-value.ts";

/** Longer ones are whole licences, not their names. */
const longestName = 100;

/**
 * The licence that a registry's field names: a text, an object of npm's old form
 * (`type`), or a list of them. Undefined where none is named.
 */
export function licenseText(value: unknown): string | undefined {
  const named = Array.isArray(value) ? asList(value).flatMap(nameOf) : nameOf(value);
  const text = [...new Set(named)].join(", ");
  return text === "" || text.length > longestName ? undefined : text;
}

/** PyPI writes `UNKNOWN` where nothing was said. */
function nameOf(value: unknown): readonly string[] {
  const name = asText(value) ?? asText(asRecord(value)["type"]) ?? asText(asRecord(value)["name"]);
  return name === undefined || /^unknown$/i.test(name) || name.includes("\n") ? [] : [name.trim()];
}

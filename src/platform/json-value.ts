/**
 * Lenient readers of what a source sent: a value of another type than expected
 * counts as not there, because one odd field must not cost the rest.
 */

/** A JSON object of which nothing is known. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object, neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function asJsonObjectOrEmpty(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

const nothing: readonly unknown[] = [];

/** The value as an array; empty for anything else. */
export function asArrayOrEmpty(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : nothing;
}

/** Returns the objects among the elements of an array. Any other value has no elements. */
export function asJsonObjectElements(value: unknown): readonly JsonObject[] {
  return asArrayOrEmpty(value).filter(isJsonObject);
}

/** Undefined for anything but a string with something else than white space in it. */
export function asNonBlankString(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

export function asNonBlankStrings(value: unknown): readonly string[] {
  return asArrayOrEmpty(value).filter(
    (item): item is string => asNonBlankString(item) !== undefined,
  );
}

/** A whole number that is not negative. */
export function asNonNegativeInteger(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined;
}

export function asBoolean(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

/** Before it nothing was published anywhere; registries write 1900 or 1970 for "no date". */
const firstTime = Date.UTC(1985, 0, 1);

/** More characters than any date has, with a fraction of its second and white space around it. */
const longestTime = 64;
/** Last millisecond of the year 9999, after which a protobuf timestamp cannot be encoded. */
const lastTime = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * Milliseconds since the epoch of a date in ISO 8601; undefined when it is none, or
 * longer than 64 characters.
 */
export function isoDateToEpochMilliseconds(value: unknown): number | undefined {
  if (typeof value !== "string" || value.length > longestTime) return undefined;
  const time = Date.parse(hasZone(value) ? value : asUtc(value));
  return time >= firstTime && time <= lastTime ? time : undefined;
}

/** Registries leave the zone out and mean UTC. */
function asUtc(value: string): string {
  const text = value.trim().replace(/ UTC$/, "").replace(" ", "T");
  return /T\d/.test(text) && !hasZone(text) ? `${text}Z` : text;
}

function hasZone(text: string): boolean {
  return /T\d/.test(text) && /(?:Z|[+-]\d\d:?\d\d)$/.test(text);
}

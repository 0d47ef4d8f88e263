/** A JSON object of which nothing is known yet. */
export type JsonObject = { readonly [name: string]: unknown };

/** The value as an object; empty for anything else, so that every member of it is missing. */
export function objectOf(value: unknown): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : {};
}

/** The data of an event; undefined unless it is a JSON object. */
export function parseObject(data: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(data);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether two JSON values say the same, whatever the order of their members. */
export function isSameJson(left: unknown, right: unknown): boolean {
  return canonical(left) === canonical(right);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
    const entries = Object.entries(inner);
    return Object.fromEntries(entries.toSorted(([left], [right]) => (left < right ? -1 : 1)));
  });
}

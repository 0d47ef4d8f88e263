/** A JSON object of a stream that is being checked. */
export type Fields = Readonly<Record<string, unknown>>;

/** A member that should be an object; anything else has no members. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

/** A member that should be a string; anything else is empty. */
export function textField(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The data of an event as an object; undefined for anything else. */
export function parseFields(data: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Fields)
      : undefined;
  } catch {
    return undefined;
  }
}

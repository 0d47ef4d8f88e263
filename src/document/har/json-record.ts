/** A JSON object of which nothing is known. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object, neither null nor an array. */
export function isRecord(json: unknown): json is JsonRecord {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

/** The objects of a list; empty for anything that is none. */
export function recordsOf(json: unknown): JsonRecord[] {
  return Array.isArray(json) ? json.filter(isRecord) : [];
}

/** A member that is a string; empty for anything else. */
export function textOf(record: JsonRecord, name: string): string {
  const text = record[name];
  return typeof text === "string" ? text : "";
}

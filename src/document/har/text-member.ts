import type { JsonObject } from "../../platform/json-value.ts";

/** A member that is a string; empty for anything else. */
export function readHarStringOrEmpty(record: JsonObject, name: string): string {
  const text = record[name];
  return typeof text === "string" ? text : "";
}

import type { JsonObject } from "../../platform/json-value.ts";

/** A member that should be an object; anything else has no members. */
export function objectOrEmpty(value: unknown): JsonObject {
  return typeof value === "object" && value !== null ? (value as JsonObject) : {};
}

/** A member that should be a string; anything else is empty. */
export function stringOrEmpty(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The data of an event as an object; undefined for anything else. */
export function tryParseJsonObject(data: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as JsonObject)
      : undefined;
  } catch {
    return undefined;
  }
}

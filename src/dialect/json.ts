import { isJsonObject, type JsonObject } from "../platform/json-value.ts";

export { asArrayOrEmpty, asJsonObjectElements } from "../platform/json-value.ts";
export type { JsonObject };

/** The value as an object; undefined for anything else, arrays included. */
export function asObject(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

/** The value as a string; undefined for anything else. */
export function asString(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The value as a finite number; undefined for anything else. */
export function asNumber(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** The members that have a value, in their order. */
export function withoutUndefined(...groups: readonly JsonObject[]): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const members of groups) {
    for (const name in members) {
      const value = members[name];
      if (value !== undefined) setOwnMember(kept, name, value);
    }
  }
  return kept;
}

/** Sets a member of any name; an assignment to `__proto__` would set what the object inherits from. */
export function setOwnMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== "__proto__") object[name] = value;
  else {
    // A later member of the same name replaces it.
    const attributes = { enumerable: true, writable: true, configurable: true };
    Object.defineProperty(object, name, { value, ...attributes });
  }
}

/** Whether the value is `[]` or `{}`. */
export function isEmptyArrayOrObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

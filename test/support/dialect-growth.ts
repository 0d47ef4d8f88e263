import type { JsonObject } from "../../src/dialect/json.ts";

const dialects = ["chat", "messages", "responses"] as const;

export type DialectName = (typeof dialects)[number];

/** Each dialect with each, itself included: [from, to]. */
export const dialectPairs = dialects.flatMap((from) => dialects.map((to) => [from, to] as const));

/** Returns the objects of all indexes below `size`, flattened by one level. */
export function each(
  size: number,
  make: (index: number) => JsonObject | readonly JsonObject[],
): JsonObject[] {
  const made: JsonObject[] = [];
  for (let index = 0; index < size; index++) {
    const one = make(index);
    if (Array.isArray(one)) made.push(...(one as readonly JsonObject[]));
    else made.push(one as JsonObject);
  }
  return made;
}

/** Start of a `tool_use` block without its id. */
export const toolUse = { type: "tool_use", name: "f", input: {} };

import { isJsonObject, type JsonObject } from "../../../platform/json-value.ts";

/** Bytes of a schema as JSON. */
const maxBytes = 64 * 1024;
/** Values in it, and how deep they stand in each other. */
const [mostValues, deepest] = [5000, 48];
/** Values of it once every reference stands for what it names. */
const maxExpandedSize = 20_000;
/** Levels of values then. */
const maxExpandedDepth = 500;

/** Members that name another schema. */
const references = new Set(["$ref", "$dynamicRef", "$recursiveRef"]);

/** Said of the document as a whole, and of no use to a model. */
const ofTheDocument = new Set(["$schema", "$id"]);

class SchemaTooLargeError extends Error {}

/**
 * The JSON Schema of a tool's arguments as a model may be offered it. References
 * lead to parts of itself only: nothing is fetched, and others are left out.
 * Undefined: it describes no object, or it is larger, deeper or, with its references
 * resolved, longer than an upstream should be made to read.
 */
export function sanitizeToolSchema(schema: unknown): JsonObject | undefined {
  if (!isJsonObject(schema) || ![undefined, "object"].includes(schema["type"] as string)) {
    return undefined;
  }
  try {
    const copy = copyOf(withoutDocument(schema), { values: 0 }, 0) as JsonObject;
    const isSmall =
      JSON.stringify(copy).length <= maxBytes && expandedSize(copy) <= maxExpandedSize;
    return isSmall ? { ...copy, type: "object" } : undefined;
  } catch (error) {
    if (error instanceof SchemaTooLargeError) return undefined;
    throw error;
  }
}

function withoutDocument(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => !ofTheDocument.has(name)));
}

function copyOf(value: unknown, count: { values: number }, depth: number): unknown {
  count.values += 1;
  if (count.values > mostValues || depth > deepest) throw new SchemaTooLargeError();
  if (Array.isArray(value)) {
    if (value.length > mostValues) throw new SchemaTooLargeError();
    return value.map((item) => copyOf(item, count, depth + 1));
  }
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).filter(([name, member]) => !isForeign(name, member));
  return Object.fromEntries(
    members.map(([name, member]) => [name, copyOf(member, count, depth + 1)]),
  );
}

function isForeign(name: string, member: unknown): boolean {
  return references.has(name) && typeof member === "string" && !member.startsWith("#");
}

/**
 * How many values there are when each reference is replaced; one that leads back into itself
 * counts once. Visits each value once, however many references lead to it.
 */
function expandedSize(schema: JsonObject): number {
  const sizes = new Map<object, number>();
  const sizeOf = (value: unknown, depth: number): number => {
    if (typeof value !== "object" || value === null) return 1;
    const known = sizes.get(value);
    if (known !== undefined) return known;
    if (depth > maxExpandedDepth) throw new SchemaTooLargeError();
    sizes.set(value, 1);
    let size = 1;
    for (const [name, member] of Object.entries(value)) {
      const isReference = references.has(name) && typeof member === "string";
      size += sizeOf(isReference ? targetOf(schema, member) : member, depth + 1);
    }
    size = Math.min(size, maxExpandedSize + 1);
    sizes.set(value, size);
    return size;
  };
  return sizeOf(schema, 0);
}

/** What a JSON pointer (RFC 6901) leads to; undefined for an anchor, and for nothing. */
function targetOf(schema: JsonObject, reference: string): unknown {
  const [beginning, ...tokens] = reference.slice(1).split("/");
  if (beginning !== "") return undefined;
  return tokens
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>((value, token) => memberOf(value, token), schema);
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as JsonObject)[name];
}

import { recordToMap } from "../platform/lookup-table.ts";
import { asArrayOrEmpty, asObject, asString, type JsonObject } from "./json.ts";

/** A schema as a messages upstream checks it. */
export interface MessagesStrictSchema {
  readonly schema: JsonObject;
  /** It differs from what was given: a keyword went into a description, an object was closed. */
  readonly isChanged: boolean;
}

const formats = new Set([
  "date-time",
  "time",
  "date",
  "duration",
  "email",
  "hostname",
  "uri",
  "ipv4",
  "ipv6",
  "uuid",
]);

/** Keywords whose value is one schema, a list of them, or a map of them. */
const schemaKeywords = recordToMap<"one" | "list" | "map">({
  items: "one",
  anyOf: "list",
  oneOf: "list",
  allOf: "list",
  properties: "map",
  $defs: "map",
  definitions: "map",
});

/**
 * Reduces a JSON Schema to the keywords that structured output and strict tools
 * of messages take. What they do not take goes into the description, where the
 * model still reads it. Objects are closed, because the vendor demands it;
 * `required` stays as it is. Key order is kept, so equal schemas give equal bytes.
 */
export function reduceToMessagesStrictSchema(schema: JsonObject): MessagesStrictSchema {
  const reduced = reduceNode(schema);
  return { schema: reduced, isChanged: print(reduced) !== print(schema) };
}

/** Which draft a schema is of says nothing about what it takes. */
function print(schema: JsonObject): string {
  return JSON.stringify(schema, (name, value: unknown) => (name === "$schema" ? undefined : value));
}

/**
 * Whether strict chat takes the schema as it is: every object forbids other
 * members and requires all of its own. Making it so would change what is optional.
 */
export function isStrictChatSchema(schema: JsonObject): boolean {
  if (isObjectSchema(schema) && !isClosedAndRequired(schema)) return false;
  return childSchemas(schema).every(isStrictChatSchema);
}

function isClosedAndRequired(schema: JsonObject): boolean {
  const required = new Set(asArrayOrEmpty(schema["required"]));
  const names = Object.keys(asObject(schema["properties"]) ?? {});
  return schema["additionalProperties"] === false && names.every((name) => required.has(name));
}

function childSchemas(schema: JsonObject): readonly JsonObject[] {
  return [...schemaKeywords].flatMap(([keyword, kind]) => {
    const value = schema[keyword];
    return childrenOf(kind, value).flatMap(objectsOf);
  });
}

function objectsOf(value: unknown): readonly JsonObject[] {
  const schema = asObject(value);
  return schema === undefined ? [] : [schema];
}

function childrenOf(kind: "one" | "list" | "map", value: unknown): readonly unknown[] {
  if (kind === "one") return [value];
  return kind === "list" ? asArrayOrEmpty(value) : Object.values(asObject(value) ?? {});
}

function isObjectSchema(schema: JsonObject): boolean {
  const { type } = schema;
  if (type === undefined) return asObject(schema["properties"]) !== undefined;
  return type === "object" || asArrayOrEmpty(type).includes("object");
}

function reduceNode(schema: JsonObject): JsonObject {
  const source = "$ref" in schema ? onlyReference(schema) : schema;
  const kept: Record<string, unknown> = {};
  const moved: string[] = [];
  for (const [keyword, value] of Object.entries(source)) {
    if (!keep(kept, keyword, value)) moved.push(`${keyword}: ${JSON.stringify(value)}`);
  }
  if (isObjectSchema(schema) && !("$ref" in schema)) closeObject(kept);
  if (moved.length > 0) kept["description"] = extend(kept["description"], moved);
  return kept;
}

/** Beside a reference nothing else is taken. */
function onlyReference(schema: JsonObject): JsonObject {
  const names = new Set(["$ref", "$defs", "definitions"]);
  return Object.fromEntries(Object.entries(schema).filter(([name]) => names.has(name)));
}

/** Puts a keyword among the kept ones; false: it has to go into the description. */
function keep(kept: Record<string, unknown>, keyword: string, value: unknown): boolean {
  const kind = schemaKeywords.get(keyword);
  if (kind !== undefined) {
    kept[keyword === "oneOf" ? "anyOf" : keyword] = reduceChildren(kind, value);
    return true;
  }
  switch (keyword) {
    case "$schema":
      return true;
    case "additionalProperties":
      kept[keyword] = false;
      return asObject(value) === undefined;
    case "minItems":
      return value === 0 || value === 1 ? set(kept, keyword, value) : false;
    case "format":
      return formats.has(asString(value) ?? "") ? set(kept, keyword, value) : false;
    case "type":
    case "enum":
    case "const":
    case "required":
    case "title":
    case "description":
    case "$ref":
      return set(kept, keyword, value);
    default:
      return false;
  }
}

function set(kept: Record<string, unknown>, keyword: string, value: unknown): true {
  kept[keyword] = value;
  return true;
}

function reduceChildren(kind: "one" | "list" | "map", value: unknown): unknown {
  if (kind === "one") return reduceChild(value);
  if (kind === "list") return asArrayOrEmpty(value).map(reduceChild);
  const entries = Object.entries(asObject(value) ?? {});
  return Object.fromEntries(entries.map(([name, child]) => [name, reduceChild(child)]));
}

/** `true` and `false` are schemas, too, and stay. */
function reduceChild(value: unknown): unknown {
  const schema = asObject(value);
  return schema === undefined ? value : reduceNode(schema);
}

function closeObject(kept: Record<string, unknown>): void {
  kept["type"] ??= "object";
  kept["additionalProperties"] = false;
}

function extend(description: unknown, moved: readonly string[]): string {
  const words = `{${moved.join(", ")}}`;
  const said = asString(description) ?? "";
  return said === "" ? words : `${said}\n\n${words}`;
}

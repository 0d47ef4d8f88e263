import { asArrayOrEmpty, asObject, type JsonObject } from "../../../src/dialect/json.ts";
import { violationIf, join, type Violation } from "./violation.ts";

/** Keywords whose value is one schema, a list of them, or a map of them. */
const one = ["items"];
const lists = ["anyOf", "oneOf", "allOf"];
const maps = ["properties", "$defs", "definitions"];

/** A rule for one schema; it is asked for those within as well. */
type SchemaRule = (schema: JsonObject, path: string) => readonly Violation[];

/** What a rule says of a schema and of all within. */
export function schemaFaults(value: unknown, path: string, rule: SchemaRule): readonly Violation[] {
  const schema = asObject(value);
  if (schema === undefined) return [];
  return [
    ...rule(schema, path),
    ...children(schema, path).flatMap(([child, place]) => schemaFaults(child, place, rule)),
  ];
}

function children(schema: JsonObject, path: string): readonly (readonly [unknown, string])[] {
  return [
    ...one.map((name) => [schema[name], join(path, name)] as const),
    ...lists.flatMap((name) =>
      asArrayOrEmpty(schema[name]).map(
        (child, at) => [child, `${join(path, name)}[${at}]`] as const,
      ),
    ),
    ...maps.flatMap((name) =>
      Object.entries(asObject(schema[name]) ?? {}).map(
        ([member, child]) => [child, `${join(path, name)}.${member}`] as const,
      ),
    ),
  ];
}

/** Strict schemas of chat and responses: closed, and every property required. */
export const closedAndRequired: SchemaRule = (schema, path) => {
  const properties = asObject(schema["properties"]);
  if (schema["type"] !== "object" && properties === undefined) return [];
  const required = new Set(asArrayOrEmpty(schema["required"]));
  const optional = Object.keys(properties ?? {}).filter((name) => !required.has(name));
  return [
    ...violationIf(
      schema["additionalProperties"] !== false,
      path,
      "'additionalProperties' is required to be supplied and to be false",
    ),
    ...violationIf(optional.length > 0, path, `'required' is missing '${optional[0]}'`),
  ];
};

const unsupported = [
  "minimum",
  "maximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "pattern",
  "oneOf",
  "maxItems",
  "uniqueItems",
  "not",
  "if",
];

/** Strict tools and structured output of messages: closed, and few keywords. */
export const closedAndPlain: SchemaRule = (schema, path) => [
  ...violationIf(
    schema["type"] === "object" && schema["additionalProperties"] !== false,
    path,
    "For 'object' type, 'additionalProperties' must be explicitly set to false",
  ),
  ...unsupported
    .filter((keyword) => keyword in schema)
    .map((keyword) => ({ path, message: `property '${keyword}' is not supported` })),
];

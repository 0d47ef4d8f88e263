import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isProtobufJsonObject } from "../../../contract/json/decode-json.ts";
import type { OpenApiDiffDocument } from "./open-api-document.ts";

/** What a schema says of the values at a place. Schemas below it are as they stand in the document. */
export interface FlattenedOpenApiSchema {
  /** JSON Schema's names of types; empty: any. */
  readonly types: ReadonlySet<string>;
  /** Members of an object by name. */
  readonly properties: ReadonlyMap<string, JsonObject>;
  readonly required: ReadonlySet<string>;
  /** Elements of an array. */
  readonly items: JsonObject | undefined;
  /** Members of an object that have no name of their own. */
  readonly others: JsonObject | undefined;
}

const anything: FlattenedOpenApiSchema = {
  types: new Set(),
  properties: new Map(),
  required: new Set(),
  items: undefined,
  others: undefined,
};

/** A schema that takes itself in is followed this far. */
const maxCombinationDepth = 32;

/** Views of each schema, by its depth in combinations. */
const readViews = new WeakMap<OpenApiDiffDocument, WeakMap<JsonObject, FlattenedOpenApiSchema[]>>();

/**
 * Reads a schema of OpenAPI 3.0 or 3.1, with its references followed and its combinations
 * merged. Each schema is read once, for combinations may name the same ones over and over.
 */
export function flattenOpenApiSchema(
  document: OpenApiDiffDocument,
  schema: JsonObject,
  depth = 0,
): FlattenedOpenApiSchema {
  if (depth === maxCombinationDepth) return anything;
  const ofDocument = readViews.get(document) ?? new WeakMap<JsonObject, FlattenedOpenApiSchema[]>();
  readViews.set(document, ofDocument);
  const byDepth = ofDocument.get(schema) ?? [];
  ofDocument.set(schema, byDepth);
  return (byDepth[depth] ??= readView(document, schema, depth));
}

function readView(
  document: OpenApiDiffDocument,
  schema: JsonObject,
  depth: number,
): FlattenedOpenApiSchema {
  const resolved = document.resolved(schema);
  const viewsOf = (list: JsonValue | undefined): FlattenedOpenApiSchema[] =>
    Array.isArray(list)
      ? list.map((part) =>
          isProtobufJsonObject(part) ? flattenOpenApiSchema(document, part, depth + 1) : anything,
        )
      : [];
  const alternatives = [resolved["oneOf"], resolved["anyOf"]].flatMap((list) => {
    const views = viewsOf(list);
    return views.length === 0 ? [] : [views.reduce(either)];
  });
  return [ownView(resolved), ...viewsOf(resolved["allOf"]), ...alternatives].reduce(both);
}

function ownView(schema: JsonObject): FlattenedOpenApiSchema {
  const { properties, required, items, additionalProperties } = schema;
  const members = Object.entries(isProtobufJsonObject(properties) ? properties : {});
  return {
    types: typesOf(schema),
    properties: new Map(
      members.map(([name, value]) => [name, isProtobufJsonObject(value) ? value : {}]),
    ),
    required: new Set(Array.isArray(required) ? required.filter(isText) : []),
    items: isProtobufJsonObject(items) ? items : undefined,
    others: isProtobufJsonObject(additionalProperties) ? additionalProperties : undefined,
  };
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === "string";
}

function typesOf(schema: JsonObject): ReadonlySet<string> {
  const { type, nullable } = schema;
  const said = (Array.isArray(type) ? type : [type]).filter(isText);
  const types = new Set(said.length > 0 ? said : impliedTypes(schema));
  if (nullable === true && types.size > 0) types.add("null");
  // Every integer is a number.
  if (types.has("number")) types.delete("integer");
  return types;
}

/** Types of a schema that names none, but can only mean some. */
function impliedTypes(schema: JsonObject): string[] {
  const { enum: values, const: value, properties, items } = schema;
  if (Array.isArray(values)) return values.map(typeOfValue);
  if (value !== undefined) return [typeOfValue(value)];
  if (isProtobufJsonObject(properties)) return ["object"];
  return isProtobufJsonObject(items) ? ["array"] : [];
}

function typeOfValue(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}

/** Values that fit one of the two. */
function either(
  one: FlattenedOpenApiSchema,
  other: FlattenedOpenApiSchema,
): FlattenedOpenApiSchema {
  const isAny = one.types.size === 0 || other.types.size === 0;
  const objects = [one, other].filter(({ properties }) => properties.size > 0);
  return {
    types: isAny ? new Set() : union(one.types, other.types),
    // What is no object lacks no member.
    required: requiredInAll(objects),
    ...mergedSchemas(one, other, "anyOf"),
  };
}

function requiredInAll([first, ...rest]: readonly FlattenedOpenApiSchema[]): ReadonlySet<string> {
  const none: ReadonlySet<string> = new Set();
  return rest.reduce((names, { required }) => common(names, required), first?.required ?? none);
}

/** Values that fit both. */
function both(one: FlattenedOpenApiSchema, other: FlattenedOpenApiSchema): FlattenedOpenApiSchema {
  const isAny = one.types.size === 0 || other.types.size === 0;
  return {
    types: isAny ? union(one.types, other.types) : common(one.types, other.types),
    required: union(one.required, other.required),
    ...mergedSchemas(one, other, "allOf"),
  };
}

function mergedSchemas(
  one: FlattenedOpenApiSchema,
  other: FlattenedOpenApiSchema,
  how: "anyOf" | "allOf",
): Pick<FlattenedOpenApiSchema, "properties" | "items" | "others"> {
  const merged = (first: JsonObject | undefined, second: JsonObject | undefined) =>
    first === undefined || second === undefined || first === second
      ? (first ?? second)
      : { [how]: [first, second] };
  const properties = new Map(one.properties);
  for (const [name, schema] of other.properties) {
    properties.set(name, merged(properties.get(name), schema) ?? schema);
  }
  return {
    properties,
    items: merged(one.items, other.items),
    others: merged(one.others, other.others),
  };
}

function union(one: ReadonlySet<string>, other: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...one, ...other]);
}

function common(one: ReadonlySet<string>, other: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...one].filter((name) => other.has(name)));
}

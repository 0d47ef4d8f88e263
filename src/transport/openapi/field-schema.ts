import { ScalarType, type DescEnum, type DescField, type DescMessage } from "@bufbuild/protobuf";
import type { FieldRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { recordToMap } from "../../platform/lookup-table.ts";
import { listEnumChoices, getRestEnumNames } from "../../contract/enum-spelling.ts";
import { readRestFieldPolicy } from "../../contract/field-policy.ts";
import { readFieldValidationRules } from "../../contract/field-rules.ts";
import { findProtoComment } from "../../contract/comments.ts";
import type { OpenApiComponents, SchemaDirection } from "./components.ts";
import type { OpenApiSchema } from "./document-types.ts";
import {
  buildArraySizeSchema,
  buildMapLimitSchema,
  buildValueLimitSchema,
} from "./schema-limits.ts";

/** What the schemas of fields need to know. */
export interface OpenApiSchemaContext {
  readonly components: OpenApiComponents;
  readonly direction: SchemaDirection;
  /** The schema of a whole message; its name is the caller's business. */
  describe(desc: DescMessage): OpenApiSchema;
}

/** The schema of a field as REST spells it, with its comment and, in requests, its limits. */
export function buildFieldSchema(field: DescField, context: OpenApiSchemaContext): OpenApiSchema {
  const { constant, secret } = readRestFieldPolicy(field);
  const schema: OpenApiSchema =
    constant === "" ? valueSchema(field, context) : { type: "string", const: constant };
  const description = findProtoComment(`${field.parent.typeName}.${field.name}`);
  return {
    ...(canBeNull(field, context.direction) ? orNull(schema) : schema),
    ...(description !== undefined && { description }),
    ...(secret && context.direction === "request" && { writeOnly: true }),
  };
}

function canBeNull(field: DescField, direction: SchemaDirection): boolean {
  const { nullable, clearable } = readRestFieldPolicy(field);
  if (direction === "answer") return nullable;
  return clearable && field.parent.fields.some(isMask);
}

function isMask({ message }: DescField): boolean {
  return message?.typeName === "google.protobuf.FieldMask";
}

function orNull(schema: OpenApiSchema): OpenApiSchema {
  const { type, enum: choices } = schema;
  if (typeof type !== "string") return { anyOf: [schema, { type: "null" }] };
  return {
    ...schema,
    type: [type, "null"],
    ...(choices !== undefined && { enum: [...choices, null] }),
  };
}

/** The schema of a field's whole value. */
function valueSchema(field: DescField, context: OpenApiSchemaContext): OpenApiSchema {
  const rules = context.direction === "request" ? readFieldValidationRules(field) : undefined;
  const type = rules?.type;
  switch (field.fieldKind) {
    case "list": {
      const list = type?.case === "repeated" ? type.value : undefined;
      return {
        type: "array",
        items: singleSchema(field, context, list?.items),
        ...buildArraySizeSchema(list),
      };
    }
    case "map": {
      const map = type?.case === "map" ? type.value : undefined;
      const values = singleSchema(field, context, map?.values);
      return { type: "object", additionalProperties: values, ...buildMapLimitSchema(map) };
    }
    default:
      return singleSchema(field, context, rules);
  }
}

/** The schema of a singular value, of one item of a list or of one value of a map. */
function singleSchema(
  field: DescField,
  context: OpenApiSchemaContext,
  rules: FieldRules | undefined,
): OpenApiSchema {
  if (field.message !== undefined) {
    if (context.direction === "request" && readRestFieldPolicy(field).merge)
      return partOf(field.message, context);
    return buildOpenApiMessageReference(field.message, context);
  }
  if (field.enum !== undefined) return enumSchema(field.enum, context, rules);
  return { ...scalarSchema(field.scalar), ...buildValueLimitSchema(rules) };
}

/** An object of which a PATCH may send some members, and null for those that can be cleared. */
function partOf(desc: DescMessage, context: OpenApiSchemaContext): OpenApiSchema {
  const { required: _, ...schema } = context.describe(desc);
  const cleared = desc.fields.filter((field) => readRestFieldPolicy(field).clearable);
  const properties = cleared.map(
    (field) => [field.name, orNull(buildFieldSchema(field, context))] as const,
  );
  return { ...schema, properties: { ...schema.properties, ...Object.fromEntries(properties) } };
}

/** The schema of a message: of a well-known one its JSON form, else a reference. */
export function buildOpenApiMessageReference(
  desc: DescMessage,
  context: OpenApiSchemaContext,
): OpenApiSchema {
  const known = wellKnownSchemas.get(desc.typeName);
  if (known !== undefined) return known;
  const { components, direction } = context;
  return components.schema(desc, direction, () => context.describe(desc));
}

const wellKnownSchemas = recordToMap<OpenApiSchema>({
  "google.protobuf.Timestamp": { type: "string", format: "date-time" },
  "google.protobuf.Struct": { type: "object", additionalProperties: true },
  "google.protobuf.ListValue": { type: "array", items: {} },
  "google.protobuf.Value": {},
  "google.api.HttpBody": { type: "object", additionalProperties: true },
});

/** A field that takes some of the values only lists them itself. */
function enumSchema(
  desc: DescEnum,
  { components, direction }: OpenApiSchemaContext,
  rules: FieldRules | undefined,
): OpenApiSchema {
  const { names } = getRestEnumNames(desc);
  const choices = listEnumChoices(desc, rules);
  if (choices.length < names.length) return { type: "string", enum: choices };
  const description = findProtoComment(desc.typeName);
  return components.schema(desc, direction, () => ({
    type: "string",
    enum: names,
    ...(description !== undefined && { description }),
  }));
}

function scalarSchema(type: ScalarType): OpenApiSchema {
  switch (type) {
    case ScalarType.STRING:
      return { type: "string" };
    case ScalarType.BYTES:
      return { type: "string", contentEncoding: "base64" };
    case ScalarType.BOOL:
      return { type: "boolean" };
    case ScalarType.DOUBLE:
      return { type: "number", format: "double" };
    case ScalarType.FLOAT:
      return { type: "number", format: "float" };
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return { type: "integer", format: "int64", minimum: 0 };
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32:
      return { type: "integer", format: "int32" };
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return { type: "integer", format: "int64", minimum: 0 };
    default:
      return { type: "integer", format: "int64" };
  }
}

import { getOption, type DescField, type DescMessage, type DescOneof } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { oneof as oneofRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { readRestFieldPolicy } from "../../contract/field-policy.ts";
import { findProtoComment } from "../../contract/comments.ts";
import type { OpenApiComponents, SchemaDirection } from "./components.ts";
import type { OpenApiSchema } from "./document-types.ts";
import { buildFieldSchema, type OpenApiSchemaContext } from "./field-schema.ts";
import { readFieldValidationRules } from "../../contract/field-rules.ts";

/** What describes the messages of one direction, nested ones as components. */
export function createOpenApiSchemaContext(
  components: OpenApiComponents,
  direction: SchemaDirection,
): OpenApiSchemaContext {
  const context: OpenApiSchemaContext = {
    components,
    direction,
    describe: (desc) => buildMessageSchema(desc, desc.fields, context),
  };
  return context;
}

/**
 * The object that REST makes of the given fields of a message. Requests take no
 * other members; answers may gain some.
 */
export function buildMessageSchema(
  desc: DescMessage,
  fields: readonly DescField[],
  context: OpenApiSchemaContext,
): OpenApiSchema {
  const spelled = fields.filter((field) => readRestFieldPolicy(field).presenceOf === "");
  const { direction } = context;
  const required = spelled.filter((field) => isAlwaysPresent(field, direction)).map(nameOf);
  const description = findProtoComment(desc.typeName);
  const properties = spelled.map(
    (field) => [field.name, buildFieldSchema(field, context)] as const,
  );
  return {
    type: "object",
    ...(description !== undefined && { description }),
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    ...(direction === "request" && { additionalProperties: false }),
    ...(direction === "request" && exclusions(desc, spelled)),
  };
}

/** In a request what must be sent; in an answer what is printed whatever its value. */
function isAlwaysPresent(field: DescField, direction: SchemaDirection): boolean {
  const { required, nullable, constant, omitEmpty } = readRestFieldPolicy(field);
  if (direction === "request") return required || readFieldValidationRules(field).required;
  if (required || nullable || constant !== "") return true;
  const hasPresence = field.presence !== FeatureSet_FieldPresence.IMPLICIT;
  return !hasPresence && field.oneof === undefined && !omitEmpty;
}

/** Of the members of a oneof a request may have one, or must where the rules say so. */
function exclusions(desc: DescMessage, fields: readonly DescField[]): OpenApiSchema {
  const oneofs = desc.oneofs.filter((it) => it.fields.some((field) => fields.includes(field)));
  const [first, ...others] = oneofs.map(oneOfMembers);
  if (first === undefined) return {};
  return others.length === 0 ? first : { allOf: [first, ...others] };
}

function oneOfMembers(oneof: DescOneof): OpenApiSchema {
  const members = oneof.fields.map((field): OpenApiSchema => ({ required: [field.name] }));
  const isRequired = getOption(oneof, oneofRules).required;
  return { oneOf: isRequired ? members : [...members, { not: { anyOf: members } }] };
}

function nameOf({ name }: DescField): string {
  return name;
}

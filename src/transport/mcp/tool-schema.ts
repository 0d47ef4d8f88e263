import type { DescMessage } from "@bufbuild/protobuf";
import { OpenApiComponents, type SchemaDirection } from "../openapi/components.ts";
import type { OpenApiSchema } from "../openapi/document-types.ts";
import { buildMessageSchema, createOpenApiSchemaContext } from "../openapi/message-schema.ts";

/** A JSON Schema of an object, as the protocol wants it for a tool. */
export type McpToolSchema = { type: "object" } & Record<string, unknown>;

const prefix = "#/components/schemas/";

/**
 * The schema of a message as REST spells it, in one piece: models and clients read
 * references badly or not at all. Throws for a message that contains itself.
 */
export function buildMcpToolSchema(desc: DescMessage, direction: SchemaDirection): McpToolSchema {
  const components = new OpenApiComponents();
  const schema = buildMessageSchema(
    desc,
    desc.fields,
    createOpenApiSchemaContext(components, direction),
  );
  const inlined = inline(schema, components.schemas(), []) as Record<string, unknown>;
  // The tool has a description of its own.
  const { description: _, ...members } = inlined;
  return { ...members, type: "object" };
}

/**
 * The members of an answer in few words, since every client pays for the list of
 * tools on each turn: what each is, and of those that are lists or objects no more.
 * The OpenAPI document describes them.
 */
export function buildCompactMcpOutputSchema(desc: DescMessage): McpToolSchema {
  const { properties } = buildMcpToolSchema(desc, "answer");
  const members = Object.entries(properties as Readonly<Record<string, OpenApiSchema>>);
  const outlined = members.map(([name, { type, enum: choices }]) => [
    name,
    typeof type === "string" ? { type, ...(choices !== undefined && { enum: choices }) } : {},
  ]);
  return { type: "object", properties: Object.fromEntries(outlined) };
}

function inline(
  value: unknown,
  named: Readonly<Record<string, OpenApiSchema>>,
  within: readonly string[],
): unknown {
  if (Array.isArray(value)) return value.map((item) => inline(item, named, within));
  if (typeof value !== "object" || value === null) return value;
  const { $ref: reference, ...members } = value as Record<string, unknown>;
  const own = Object.entries(members).map(([key, member]) => [key, inline(member, named, within)]);
  if (typeof reference !== "string") return Object.fromEntries(own);
  const name = reference.slice(prefix.length);
  if (within.includes(name)) throw new Error(`the schema ${name} contains itself`);
  const target = inline(named[name], named, [...within, name]) as OpenApiSchema;
  // What is said at the field is nearer than what is said of the type.
  return { ...target, ...Object.fromEntries(own) };
}

import type { DescMessage } from "@bufbuild/protobuf";
import { Components, type SchemaDirection } from "../openapi/components.ts";
import type { Schema } from "../openapi/document-types.ts";
import { messageSchema, schemaContext } from "../openapi/message-schema.ts";

/** A JSON Schema of an object, as the protocol wants it for a tool. */
export type ToolSchema = { type: "object" } & Record<string, unknown>;

const prefix = "#/components/schemas/";

/**
 * The schema of a message as REST spells it, in one piece: models and clients read
 * references badly or not at all. Throws for a message that contains itself.
 */
export function toolSchema(desc: DescMessage, direction: SchemaDirection): ToolSchema {
  const components = new Components();
  const schema = messageSchema(desc, desc.fields, schemaContext(components, direction));
  const inlined = inline(schema, components.schemas(), []) as Record<string, unknown>;
  return { ...inlined, type: "object" };
}

function inline(
  value: unknown,
  named: Readonly<Record<string, Schema>>,
  within: readonly string[],
): unknown {
  if (Array.isArray(value)) return value.map((item) => inline(item, named, within));
  if (typeof value !== "object" || value === null) return value;
  const { $ref: reference, ...members } = value as Record<string, unknown>;
  const own = Object.entries(members).map(([key, member]) => [key, inline(member, named, within)]);
  if (typeof reference !== "string") return Object.fromEntries(own);
  const name = reference.slice(prefix.length);
  if (within.includes(name)) throw new Error(`the schema ${name} contains itself`);
  const target = inline(named[name], named, [...within, name]) as Schema;
  // What is said at the field is nearer than what is said of the type.
  return { ...target, ...Object.fromEntries(own) };
}

import { jsonScalarTypeFlags, type ObjectShape, type InferredShape } from "../shape/shape.ts";

/** A JSON Schema of 2020-12, in the members that are learned. */
export interface LearnedSchema {
  type?: string | string[];
  format?: string;
  properties?: Record<string, LearnedSchema>;
  required?: string[];
  additionalProperties?: LearnedSchema;
  items?: LearnedSchema;
}

/** How many properties a document still has room for, by how deep they lie. */
export interface ServiceDocumentPropertyBudget {
  /** Takes the room of one property; false: there is none. */
  take(depth: number): boolean;
}

/** What describes a shape. Members that there is no room for are left out. */
export function inferredShapeToSchema(
  shape: InferredShape,
  room: ServiceDocumentPropertyBudget,
  depth = 0,
): LearnedSchema {
  const [type, ...others] = typesOf(shape);
  return {
    ...(type !== undefined && { type: others.length === 0 ? type : [type, ...others] }),
    ...(shape.format !== undefined && { format: shape.format }),
    ...(shape.object !== undefined && membersOf(shape.object, room, depth)),
    ...(shape.items !== undefined && {
      items: inferredShapeToSchema(shape.items, room, depth + 1),
    }),
  };
}

/** An integer is a number, where both were seen. */
function typesOf({ scalars, items, object }: InferredShape): string[] {
  const has = (type: keyof typeof jsonScalarTypeFlags) =>
    (scalars & jsonScalarTypeFlags[type]) !== 0;
  return [
    ...(object === undefined ? [] : ["object"]),
    ...(items === undefined ? [] : ["array"]),
    ...(has("string") ? ["string"] : []),
    ...(has("number") ? ["number"] : has("integer") ? ["integer"] : []),
    ...(has("boolean") ? ["boolean"] : []),
    ...(has("null") ? ["null"] : []),
  ];
}

function membersOf(
  object: ObjectShape,
  room: ServiceDocumentPropertyBudget,
  depth: number,
): LearnedSchema {
  const names = [...object.properties.keys()].toSorted();
  const kept = names.filter(() => room.take(depth));
  const required = kept.filter((name) => object.properties.get(name)?.required);
  const properties = kept.flatMap((name) => {
    const property = object.properties.get(name);
    return property === undefined
      ? []
      : [[name, inferredShapeToSchema(property.shape, room, depth + 1)]];
  });
  return {
    // A property may be called like a member of every object.
    ...(kept.length > 0 && {
      properties: Object.fromEntries(properties) as Record<string, LearnedSchema>,
    }),
    ...(required.length > 0 && { required }),
    ...(object.additional !== undefined && {
      additionalProperties: inferredShapeToSchema(object.additional, room, depth + 1),
    }),
  };
}

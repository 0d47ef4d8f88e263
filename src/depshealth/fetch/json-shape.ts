/**
 * Which parts of a JSON document are wanted: a whole value, some members of an
 * object, or a shape for each element of an array or member of an object.
 */
export type JsonShape =
  | "whole"
  | { readonly members: Readonly<Record<string, JsonShape>> }
  | { readonly each: JsonShape };

/** Members taken whole. */
export function wholeMembers(...names: string[]): JsonShape {
  return { members: Object.fromEntries(names.map((name) => [name, "whole" as const])) };
}

/** What is wanted of an element or member; undefined: nothing. */
export function shapeOf(shape: JsonShape, key: string): JsonShape | undefined {
  if (shape === "whole") return shape;
  if ("each" in shape) return shape.each;
  return Object.hasOwn(shape.members, key) ? shape.members[key] : undefined;
}

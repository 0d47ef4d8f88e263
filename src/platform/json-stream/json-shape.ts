/**
 * Which parts of a JSON document are wanted: a whole value, some members of an
 * object, a shape for each element of an array or member of an object, the
 * items of an array as they come, which are handed over and not kept, or the length of
 * texts: of a string, of those in an array and in the named members, at any depth.
 */
export type JsonProjection =
  | "whole"
  | { readonly members: Readonly<Record<string, JsonProjection>> }
  | { readonly each: JsonProjection }
  | { readonly items: JsonItemHandler }
  | { readonly measures: ReadonlySet<string> };

/**
 * Takes the bytes of an item, followed to its end but not checked, and where in the
 * document it starts. They may lie in the memory of the chunk that it ends in.
 */
export type JsonItemHandler = (bytes: Buffer, offset: number) => void;

/** Members taken whole. */
export function wholeMembersProjection(...names: string[]): JsonProjection {
  return { members: Object.fromEntries(names.map((name) => [name, "whole" as const])) };
}

/** What is wanted of an element or member; undefined: nothing. */
export function childProjection(shape: JsonProjection, key: string): JsonProjection | undefined {
  if (shape === "whole") return shape;
  if ("each" in shape) return shape.each;
  if ("items" in shape) return "whole";
  if ("measures" in shape) return shape.measures.has(key) ? shape : undefined;
  return Object.hasOwn(shape.members, key) ? shape.members[key] : undefined;
}

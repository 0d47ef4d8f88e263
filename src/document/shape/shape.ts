/** Formats that strings are told apart by (JSON Schema 2020-12, format vocabulary). */
export type StringFormat = "uuid" | "date-time" | "date" | "email" | "uri";

/** Types of JSON Schema but for `object` and `array`, which a shape describes further. */
export type JsonScalarType = "null" | "boolean" | "integer" | "number" | "string";

/** The bits of `Shape.scalars`. */
export const jsonScalarTypeFlags: Readonly<Record<JsonScalarType, number>> = {
  null: 1,
  boolean: 2,
  integer: 4,
  number: 8,
  string: 16,
};

/**
 * What was seen at one place, without any value. Shapes are a join-semilattice:
 * `mergeInferredShapes` is commutative, associative and idempotent, so that the order and
 * the parts in which traffic is learned leave no trace.
 */
export interface InferredShape {
  /** Bits of the scalar types that were seen. */
  readonly scalars: number;
  /** The format of every string that was seen; undefined: there was none, or they differ. */
  readonly format?: StringFormat | undefined;
  /** The elements of every array that was seen; undefined: there was no array. */
  readonly items?: InferredShape | undefined;
  /** The objects that were seen; undefined: there was none. */
  readonly object?: ObjectShape | undefined;
  /** Something lay deeper than is looked at. */
  readonly isCut?: boolean | undefined;
}

/** The members of objects. */
export interface ObjectShape {
  readonly properties: ReadonlyMap<string, InferredProperty>;
  /** The values of members whose keys are no names; undefined: there were none. */
  readonly additional?: InferredShape | undefined;
  /** Short hashes of the names that were left out, see `limitInferredShapeProperties`; undefined: none was. */
  readonly omitted?: ReadonlySet<string> | undefined;
}

/** One member of objects. */
export interface InferredProperty {
  /** Every object had it. */
  readonly required: boolean;
  readonly shape: InferredShape;
}

/** Nothing was seen: the bottom of the lattice. */
export const emptyInferredShape: InferredShape = { scalars: 0 };

/** A shape of one scalar type. */
export function createScalarShape(type: JsonScalarType, format?: StringFormat): InferredShape {
  return { scalars: jsonScalarTypeFlags[type], format };
}

/** A shape of an object whose members are all there. */
export function createObjectShape(
  members: Iterable<readonly [string, InferredShape]>,
): InferredShape {
  const properties = new Map<string, InferredProperty>();
  for (const [name, shape] of members) properties.set(name, { required: true, shape });
  return { scalars: 0, object: { properties } };
}

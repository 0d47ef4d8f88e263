import { unionHashSets } from "./short-hashes.ts";
import {
  emptyInferredShape,
  jsonScalarTypeFlags,
  type ObjectShape,
  type InferredProperty,
  type InferredShape,
} from "./shape.ts";

/**
 * The least shape that describes what both describe. Gives `left` itself back
 * when `right` adds nothing, so that equal observations cost no memory.
 */
export function mergeInferredShapes(left: InferredShape, right: InferredShape): InferredShape {
  if (left === right || right === emptyInferredShape) return left;
  if (left === emptyInferredShape) return right;
  const scalars = left.scalars | right.scalars;
  const format = joinFormats(left, right);
  const items = joinOptional(left.items, right.items, mergeInferredShapes);
  const object = joinOptional(left.object, right.object, joinObjects);
  const isCut = left.isCut ?? right.isCut;
  const isSame =
    scalars === left.scalars &&
    format === left.format &&
    items === left.items &&
    object === left.object &&
    isCut === left.isCut;
  return isSame ? left : { scalars, format, items, object, isCut };
}

/**
 * Joins many shapes, one after another. Sums of equally many are joined with each other, so
 * that objects without a common property are copied few times.
 */
export class InferredShapeAccumulator {
  readonly #parts: { readonly count: number; readonly shape: InferredShape }[] = [];

  add(shape: InferredShape): void {
    let sum = { count: 1, shape };
    for (let last = this.#parts.at(-1); last?.count === sum.count; last = this.#parts.at(-1)) {
      this.#parts.pop();
      sum = { count: 2 * sum.count, shape: mergeInferredShapes(last.shape, sum.shape) };
    }
    this.#parts.push(sum);
  }

  /** The least shape that describes all that were added. */
  total(): InferredShape {
    return this.#parts.reduceRight(
      (total, { shape }) => mergeInferredShapes(shape, total),
      emptyInferredShape,
    );
  }
}

/** Strings of another format, or of none, leave none. */
function joinFormats(left: InferredShape, right: InferredShape): InferredShape["format"] {
  if ((left.scalars & jsonScalarTypeFlags.string) === 0) return right.format;
  if ((right.scalars & jsonScalarTypeFlags.string) === 0) return left.format;
  return left.format === right.format ? left.format : undefined;
}

function joinOptional<Part>(
  left: Part | undefined,
  right: Part | undefined,
  join: (left: Part, right: Part) => Part,
): Part | undefined {
  if (left === undefined) return right;
  return right === undefined ? left : join(left, right);
}

function joinObjects(left: ObjectShape, right: ObjectShape): ObjectShape {
  const properties = joinProperties(left.properties, right.properties);
  const additional = joinOptional(left.additional, right.additional, mergeInferredShapes);
  const omitted = joinOptional(left.omitted, right.omitted, unionHashSets);
  const isSame =
    properties === left.properties && additional === left.additional && omitted === left.omitted;
  return isSame ? left : { properties, additional, omitted };
}

type Properties = ObjectShape["properties"];

/** What one side lacks is required no longer. */
function joinProperties(left: Properties, right: Properties): Properties {
  const changed: [string, InferredProperty][] = [];
  for (const [name, property] of left) {
    const joined = joinProperty(property, right.get(name));
    if (joined !== property) changed.push([name, joined]);
  }
  for (const [name, { shape }] of right) {
    if (!left.has(name)) changed.push([name, { required: false, shape }]);
  }
  return changed.length === 0 ? left : new Map([...left, ...changed]);
}

function joinProperty(
  left: InferredProperty,
  right: InferredProperty | undefined,
): InferredProperty {
  const required = left.required && right?.required === true;
  const shape = right === undefined ? left.shape : mergeInferredShapes(left.shape, right.shape);
  return required === left.required && shape === left.shape ? left : { required, shape };
}

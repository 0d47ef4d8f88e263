import { isLearnablePropertyName } from "../name/field-name.ts";
import { detectStringFormat } from "./detect-format.ts";
import { InferredShapeAccumulator } from "./join-shapes.ts";
import {
  emptyInferredShape,
  createScalarShape,
  type ObjectShape,
  type InferredProperty,
  type InferredShape,
} from "./shape.ts";

/** How many values a value may lie in and still be looked at. */
const maximumDepth = 32;

const booleanShape = createScalarShape("boolean");
const integerShape = createScalarShape("integer");
const nullShape = createScalarShape("null");
const numberShape = createScalarShape("number");
const noMembers = { properties: new Map<string, InferredProperty>() };
const plainString = createScalarShape("string");

/** The shape of a JSON value. What lies deeper than 32 levels is not looked at. */
export function inferJsonShape(json: unknown, depth = 0): InferredShape {
  switch (typeof json) {
    case "string":
      return inferStringShape(json);
    case "number":
      return Number.isInteger(json) ? integerShape : numberShape;
    case "boolean":
      return booleanShape;
    case "object":
      return json === null ? nullShape : shapeOfContainer(json, depth);
    default:
      return emptyInferredShape;
  }
}

/** The shape of a string: its format. */
export function inferStringShape(text: string): InferredShape {
  const format = detectStringFormat(text);
  return format === undefined ? plainString : createScalarShape("string", format);
}

function shapeOfContainer(json: object, depth: number): InferredShape {
  if (depth >= maximumDepth) return cutContainer(json);
  if (Array.isArray(json)) return { scalars: 0, items: shapeOfItems(json, depth) };
  return { scalars: 0, object: shapeOfMembers(json as Record<string, unknown>, depth) };
}

function cutContainer(json: object): InferredShape {
  const isCut = Object.keys(json).length > 0 ? true : undefined;
  const container = Array.isArray(json) ? { items: emptyInferredShape } : { object: noMembers };
  return { scalars: 0, ...container, isCut };
}

function shapeOfItems(items: readonly unknown[], depth: number): InferredShape {
  const sum = new InferredShapeAccumulator();
  for (const item of items) sum.add(inferJsonShape(item, depth + 1));
  return sum.total();
}

/**
 * An object whose keys are mostly no names is a map, of which the values are kept. A
 * key that is no name among others is left out: it is a value itself.
 */
function shapeOfMembers(object: Readonly<Record<string, unknown>>, depth: number): ObjectShape {
  const keys = Object.keys(object);
  const names = keys.filter(isLearnablePropertyName);
  if (names.length * 2 < keys.length) return shapeOfMap(Object.values(object), depth);
  const properties = new Map<string, InferredProperty>();
  for (const name of names) {
    properties.set(name, { required: true, shape: inferJsonShape(object[name], depth + 1) });
  }
  return { properties };
}

function shapeOfMap(values: readonly unknown[], depth: number): ObjectShape {
  return { properties: new Map(), additional: shapeOfItems(values, depth) };
}

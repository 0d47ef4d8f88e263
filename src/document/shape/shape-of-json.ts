import { isPropertyName } from "../name/field-name.ts";
import { formatOf } from "./format-of.ts";
import { joinShapes } from "./join-shapes.ts";
import { nothing, scalarShape, type ObjectShape, type Property, type Shape } from "./shape.ts";

/** How many values a value may lie in and still be looked at. */
const maximumDepth = 32;

const booleanShape = scalarShape("boolean");
const integerShape = scalarShape("integer");
const nullShape = scalarShape("null");
const numberShape = scalarShape("number");
const noMembers = { properties: new Map<string, Property>() };
const plainString = scalarShape("string");

/** The shape of a JSON value. What lies deeper than 32 levels is not looked at. */
export function shapeOfJson(json: unknown, depth = 0): Shape {
  switch (typeof json) {
    case "string":
      return shapeOfString(json);
    case "number":
      return Number.isInteger(json) ? integerShape : numberShape;
    case "boolean":
      return booleanShape;
    case "object":
      return json === null ? nullShape : shapeOfContainer(json, depth);
    default:
      return nothing;
  }
}

/** The shape of a string: its format. */
export function shapeOfString(text: string): Shape {
  const format = formatOf(text);
  return format === undefined ? plainString : scalarShape("string", format);
}

function shapeOfContainer(json: object, depth: number): Shape {
  if (depth >= maximumDepth) return cutContainer(json);
  if (Array.isArray(json)) return { scalars: 0, items: shapeOfItems(json, depth) };
  return { scalars: 0, object: shapeOfMembers(json as Record<string, unknown>, depth) };
}

function cutContainer(json: object): Shape {
  const isCut = Object.keys(json).length > 0 ? true : undefined;
  const container = Array.isArray(json) ? { items: nothing } : { object: noMembers };
  return { scalars: 0, ...container, isCut };
}

function shapeOfItems(items: readonly unknown[], depth: number): Shape {
  let shape = nothing;
  for (const item of items) shape = joinShapes(shape, shapeOfJson(item, depth + 1));
  return shape;
}

/**
 * An object whose keys are mostly no names is a map, of which the values are kept. A
 * key that is no name among others is left out: it is a value itself.
 */
function shapeOfMembers(object: Readonly<Record<string, unknown>>, depth: number): ObjectShape {
  const keys = Object.keys(object);
  const names = keys.filter(isPropertyName);
  if (names.length * 2 < keys.length) return shapeOfMap(Object.values(object), depth);
  const properties = new Map<string, Property>();
  for (const name of names) {
    properties.set(name, { required: true, shape: shapeOfJson(object[name], depth + 1) });
  }
  return { properties };
}

function shapeOfMap(values: readonly unknown[], depth: number): ObjectShape {
  let additional = nothing;
  for (const value of values) additional = joinShapes(additional, shapeOfJson(value, depth + 1));
  return { properties: new Map(), additional };
}

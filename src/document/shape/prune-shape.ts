import { unionHashSets, shortHash } from "./short-hashes.ts";
import type { ObjectShape, InferredProperty, InferredShape } from "./shape.ts";

/** A property in an order of all: the shallow ones first, then by the hash of where it stands. */
interface Place {
  readonly depth: number;
  readonly hash: string;
}

/**
 * Leaves the first `atMost` properties of a shape and counts the others where
 * they stood. The order is that of the places alone, and what lies below a place
 * comes after it: so it does not matter whether shapes are pruned before they are
 * joined, or after.
 */
export function limitInferredShapeProperties(shape: InferredShape, atMost: number): InferredShape {
  if (countProperties(shape, atMost) <= atMost) return shape;
  const places: Place[] = [];
  collectPlaces(shape, root, places);
  const last = places.toSorted(comparePlaces)[atMost - 1] ?? root;
  return keepUpTo(shape, root, last);
}

const root: Place = { depth: 0, hash: "" };

/** The properties of a shape, all levels together; stops soon after `enough`. */
function countProperties(shape: InferredShape | undefined, enough: number): number {
  if (shape === undefined || enough < 0) return 0;
  let count = countProperties(shape.items, enough);
  if (shape.object === undefined) return count;
  count += countProperties(shape.object.additional, enough - count);
  for (const property of shape.object.properties.values()) {
    if (count > enough) break;
    count += 1 + countProperties(property.shape, enough - count);
  }
  return count;
}

function collectPlaces(shape: InferredShape | undefined, at: Place, places: Place[]): void {
  if (shape === undefined) return;
  collectPlaces(shape.items, placeBelow(at, "[]"), places);
  if (shape.object === undefined) return;
  collectPlaces(shape.object.additional, placeBelow(at, "{}"), places);
  for (const [name, property] of shape.object.properties) {
    const place = placeBelow(at, `.${name}`);
    places.push(place);
    collectPlaces(property.shape, place, places);
  }
}

function placeBelow({ depth, hash }: Place, step: string): Place {
  return { depth: depth + 1, hash: shortHash(`${hash}${step}`) };
}

function comparePlaces(left: Place, right: Place): number {
  if (left.depth !== right.depth) return left.depth - right.depth;
  return left.hash < right.hash ? -1 : Number(left.hash > right.hash);
}

function keepUpTo(shape: InferredShape, at: Place, last: Place): InferredShape {
  const items = shape.items && keepUpTo(shape.items, placeBelow(at, "[]"), last);
  const object = shape.object && keepMembers(shape.object, at, last);
  return { ...shape, items, object };
}

function keepMembers(object: ObjectShape, at: Place, last: Place): ObjectShape {
  const properties = new Map<string, InferredProperty>();
  const omitted = new Set<string>();
  for (const [name, property] of object.properties) {
    const place = placeBelow(at, `.${name}`);
    if (comparePlaces(place, last) > 0) omitted.add(place.hash);
    else properties.set(name, { ...property, shape: keepUpTo(property.shape, place, last) });
  }
  const additional = object.additional && keepUpTo(object.additional, placeBelow(at, "{}"), last);
  return { properties, additional, omitted: unionHashSets(object.omitted ?? new Set(), omitted) };
}

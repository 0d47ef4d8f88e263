import type { InferredShape } from "../shape/shape.ts";

/** How deep properties are compared. */
const maximumDepth = 4;

/** Two answers are alike when they share this part of their properties, */
const sharedPart = 0.4;
/** or when one of them has nearly all of the other: what is optional may be missing. */
const sharedByOne = 0.8;

/** Stands for an answer without a body, whatever its status; no media type is called so. */
const noBody = "none";

const featuresByExchange = new WeakMap<InferredShape, ReadonlySet<string>>();

/**
 * What answers are compared by: the names of properties in the bodies of the
 * successful ones. Empty where none was: a refusal says nothing of a place.
 */
export function listResponsePropertyNames(exchange: InferredShape): ReadonlySet<string> {
  const known = featuresByExchange.get(exchange);
  if (known !== undefined) return known;
  const features = collect(exchange);
  featuresByExchange.set(exchange, features);
  return features;
}

function collect(exchange: InferredShape): ReadonlySet<string> {
  const answers = [...(memberOf(exchange, "responses")?.object?.properties ?? [])];
  const features = new Set<string>();
  for (const [status, { shape }] of answers) {
    if (!status.startsWith("2")) continue;
    const bodies = [...(shape.object?.properties ?? [])];
    if (bodies.length === 0) features.add(noBody);
    for (const [mediaType, body] of bodies) addProperties(features, body.shape, mediaType, 0);
  }
  return features;
}

function memberOf(shape: InferredShape, name: string): InferredShape | undefined {
  return shape.object?.properties.get(name)?.shape;
}

function addProperties(
  features: Set<string>,
  shape: InferredShape,
  path: string,
  depth: number,
): void {
  features.add(path);
  if (depth >= maximumDepth) return;
  if (shape.items !== undefined) addProperties(features, shape.items, `${path}[]`, depth + 1);
  for (const [name, property] of shape.object?.properties ?? []) {
    addProperties(features, property.shape, `${path}.${name}`, depth + 1);
  }
}

/** Whether two sets of features share most of what either has. */
export function areResponsePropertiesSimilar(
  left: ReadonlySet<string>,
  right: ReadonlySet<string>,
): boolean {
  const shared = [...left].filter((feature) => right.has(feature)).length;
  const either = left.size + right.size - shared;
  const fewer = Math.min(left.size, right.size);
  return shared > 0 && (shared >= sharedPart * either || shared >= sharedByOne * fewer);
}

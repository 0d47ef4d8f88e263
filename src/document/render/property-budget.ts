import type { InferredShape } from "../shape/shape.ts";
import type { ServiceDocumentPropertyBudget } from "./schema.ts";

/** The properties of a document at most. */
const maxProperties = 2000;

/** Room for the properties of some shapes, shared among them. */
export interface ResponseBodyPropertyBudget extends ServiceDocumentPropertyBudget {
  /** Properties that there is no room for, and those that were left out before. */
  readonly truncated: number;
}

/**
 * Room for the shallow properties first: every level that fits, and of the next one
 * as many as there is room for, in the order of the document.
 */
export function allocateSchemaPropertyBudget(
  bodies: readonly InferredShape[],
): ResponseBodyPropertyBudget {
  const counts: number[] = [];
  let omitted = 0;
  const measure = (shape: InferredShape, depth: number) => {
    omitted += (shape.object?.omitted?.size ?? 0) + (shape.isCut === true ? 1 : 0);
    if (shape.items !== undefined) measure(shape.items, depth + 1);
    if (shape.object?.additional !== undefined) measure(shape.object.additional, depth + 1);
    for (const property of shape.object?.properties.values() ?? []) {
      counts[depth] = (counts[depth] ?? 0) + 1;
      measure(property.shape, depth + 1);
    }
  };
  for (const body of bodies) measure(body, 0);
  const all = counts.reduce((sum, count) => sum + count, 0);
  return { ...shallowFirst(counts), truncated: omitted + Math.max(0, all - maxProperties) };
}

function shallowFirst(counts: readonly number[]): ServiceDocumentPropertyBudget {
  const left: number[] = [];
  let free = maxProperties;
  for (const [depth, count = 0] of counts.entries()) {
    left[depth] = Math.min(count, free);
    free -= left[depth];
  }
  return {
    take(depth) {
      const room = left[depth] ?? 0;
      left[depth] = room - 1;
      return room > 0;
    },
  };
}

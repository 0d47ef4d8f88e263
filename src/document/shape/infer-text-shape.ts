import { mergeInferredShapes } from "./join-shapes.ts";
import {
  emptyInferredShape,
  createObjectShape,
  createScalarShape,
  type InferredShape,
} from "./shape.ts";
import { inferStringShape } from "./infer-shape.ts";

/** The shape of a value that is written as text: of a query, a form or a path. */
export function inferTextValueShape(text: string): InferredShape {
  if (/^-?(?:0|[1-9]\d{0,14})$/.test(text)) return createScalarShape("integer");
  if (/^-?\d{1,15}\.\d{1,15}$/.test(text)) return createScalarShape("number");
  if (text === "true" || text === "false") return createScalarShape("boolean");
  return inferStringShape(text);
}

/** The shape of named texts; a name that comes again has an array of them. */
export function inferPairsShape(
  pairs: Iterable<readonly [name: string, text: string]>,
  isName: (name: string) => boolean,
): InferredShape {
  const byName = new Map<string, InferredShape[]>();
  for (const [name, text] of pairs) {
    if (!isName(name)) continue;
    const shapes = byName.get(name);
    if (shapes === undefined) byName.set(name, [inferTextValueShape(text)]);
    else shapes.push(inferTextValueShape(text));
  }
  return createObjectShape([...byName].map(([name, shapes]) => [name, shapeOfSeveral(shapes)]));
}

function shapeOfSeveral(shapes: readonly InferredShape[]): InferredShape {
  const joined = shapes.reduce(mergeInferredShapes, emptyInferredShape);
  return shapes.length === 1 ? joined : { scalars: 0, items: joined };
}

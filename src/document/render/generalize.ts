import {
  isFirstResourcePathSegment,
  parsePathParameterKind,
  type PathParameterValueKind,
} from "../har/path-segment.ts";
import { mergeInferredShapes } from "../shape/join-shapes.ts";
import { emptyInferredShape, createScalarShape, type InferredShape } from "../shape/shape.ts";
import { mergeLearnedPathTrees } from "../state/join-nodes.ts";
import { emptyLearnedPathNode, type LearnedPathNode } from "../state/path-node.ts";
import { inferPathParameters, findErrorOnlyPathSegments } from "./find-parameters.ts";
import type { TemplateParameterBranch, PathTemplateNode } from "./template-node.ts";

/** How far ahead a place is generalised only to compare what follows. */
const maxLookahead = 3;

/**
 * Decides which segments are parameters: those that look like values, and those
 * of which more than eight stand at one place with the same continuation, method
 * and like answers. `before` are the segments before the node, parameters as `{}`.
 */
export function inferPathTemplates(
  node: LearnedPathNode,
  before: readonly string[] = [],
  look = maxLookahead,
): PathTemplateNode {
  const names = [...node.children.keys()].toSorted();
  const values = names.filter((name) => parsePathParameterKind(name) !== undefined);
  const constants = names.filter((name) => parsePathParameterKind(name) === undefined);
  const alike = isFirstResourcePathSegment(before) ? none : alikeOf(node, names, before, look);
  const certain = [...new Set([...values, ...alike])];
  const refused = isFirstResourcePathSegment(before) ? none : refusedOf(node, constants, certain);
  const merged = [...certain, ...refused];
  const replaced = new Set(merged);
  const kept = constants.filter((name) => !replaced.has(name));
  return {
    constants: new Map(
      kept.map((name) => [name, inferPathTemplates(childOf(node, name), [...before, name], look)]),
    ),
    parameter: parameterOf(node, merged, before, look),
    operations: node.operations,
    omitted: node.omitted?.size ?? 0,
  };
}

/** To tell what follows a value, all are taken for one parameter first. */
function alikeOf(
  node: LearnedPathNode,
  names: readonly string[],
  before: readonly string[],
  look: number,
): ReadonlySet<string> {
  const children = new Map(names.map((name) => [name, childOf(node, name)]));
  const merged = [...children.values()].reduce(mergeLearnedPathTrees, emptyLearnedPathNode);
  const ahead = () =>
    look === 0 ? undefined : inferPathTemplates(merged, [...before, "{}"], look - 1);
  return inferPathParameters(children, ahead);
}

/** Constants that turn out to be values that there were not, once there is a parameter. */
function refusedOf(
  node: LearnedPathNode,
  constants: readonly string[],
  certain: readonly string[],
): ReadonlySet<string> {
  const known = new Set(certain);
  const others = constants.filter((name) => !known.has(name));
  if (certain.length === 0 || others.length === 0) return none;
  const parameter = certain
    .map((name) => childOf(node, name))
    .reduce(mergeLearnedPathTrees, emptyLearnedPathNode);
  return findErrorOnlyPathSegments(
    new Map(others.map((name) => [name, childOf(node, name)])),
    parameter,
  );
}

const none: ReadonlySet<string> = new Set();

function parameterOf(
  node: LearnedPathNode,
  names: readonly string[],
  before: readonly string[],
  look: number,
): TemplateParameterBranch | undefined {
  if (names.length === 0) return undefined;
  const merged = names
    .map((name) => childOf(node, name))
    .reduce(mergeLearnedPathTrees, emptyLearnedPathNode);
  const values = names
    .map((name) => shapeOfKind(parsePathParameterKind(name)))
    .reduce(mergeInferredShapes, emptyInferredShape);
  return { values, node: inferPathTemplates(merged, [...before, "{}"], look) };
}

function childOf(node: LearnedPathNode, name: string): LearnedPathNode {
  return node.children.get(name) ?? emptyLearnedPathNode;
}

function shapeOfKind(kind: PathParameterValueKind | undefined): InferredShape {
  if (kind === "integer") return createScalarShape("integer");
  return kind === undefined || kind === "string"
    ? createScalarShape("string")
    : createScalarShape("string", kind);
}

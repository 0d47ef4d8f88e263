import type { InferredShape } from "../shape/shape.ts";
import { countLearnedTrafficEntries } from "../state/count-entries.ts";
import type { LearnedOperation } from "../state/path-node.ts";
import { buildPathParameterName } from "./parameter-name.ts";
import type { PathTemplateNode } from "./template-node.ts";

/** One path template and what was seen of it. */
export interface PathTemplate {
  /** `/users/{user_id}`. */
  readonly path: string;
  /** Its parameters in their order. */
  readonly parameters: readonly { readonly name: string; readonly values: InferredShape }[];
  readonly operations: ReadonlyMap<string, LearnedOperation>;
}

/** Templates of a document, and how many places had to be left out. */
export interface PathTemplateList {
  readonly templates: readonly PathTemplate[];
  readonly truncated: number;
}

/** The templates of a document at most. */
const maxTemplates = 500;

/**
 * The templates of an origin in the order in which an address is matched against
 * them: at each place constants before the parameter, which so takes what none of
 * them is. Of too many those stay that most entries were of.
 */
export function buildPathTemplates(root: PathTemplateNode): PathTemplateList {
  const all = [...walk(root, { path: "", parameters: [], before: undefined })];
  const kept = new Set(all.toSorted(byUse).slice(0, maxTemplates));
  const templates = all.filter((template) => kept.has(template));
  return { templates, truncated: all.length - templates.length + omittedIn(root) };
}

interface Way {
  readonly path: string;
  readonly parameters: PathTemplate["parameters"];
  /** The last constant. */
  readonly before: string | undefined;
}

function* walk(node: PathTemplateNode, way: Way): Generator<PathTemplate> {
  const { path, parameters, before } = way;
  const { operations, parameter } = node;
  if (operations.size > 0) yield { path, parameters, operations };
  for (const [name, child] of node.constants) {
    yield* walk(child, { path: `${path}/${name}`, parameters, before: name });
  }
  if (parameter === undefined) return;
  const names = parameters.map(({ name }) => name);
  const own = { name: buildPathParameterName(before, names), values: parameter.values };
  const ended = { path: `${path}/{${own.name}}`, parameters: [...parameters, own], before };
  yield* walk(parameter.node, ended);
}

function byUse(left: PathTemplate, right: PathTemplate): number {
  return usesOf(right) - usesOf(left) || (left.path < right.path ? -1 : 1);
}

function usesOf({ operations }: PathTemplate): number {
  return countLearnedTrafficEntries({ children: new Map(), operations });
}

function omittedIn({ omitted, constants, parameter }: PathTemplateNode): number {
  const below = [...constants.values()].reduce((sum, node) => sum + omittedIn(node), 0);
  return omitted + below + (parameter === undefined ? 0 : omittedIn(parameter.node));
}

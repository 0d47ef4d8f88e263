import {
  emptyLearnedPathNode,
  type LearnedOperation,
  type LearnedPathNode,
} from "../state/path-node.ts";
import { countLearnedTrafficEntries, findTrafficDayRange } from "../state/count-entries.ts";
import { listBodyShapes, splitHttpExchangeShape } from "./exchange-parts.ts";
import { inferPathTemplates } from "./generalize.ts";
import { buildLearnedServiceHeaderRules } from "./header-rules.ts";
import { buildOperationIds } from "./operation-ids.ts";
import { buildLearnedOperation, type LearnedOperationObject } from "./describe-operation.ts";
import { allocateSchemaPropertyBudget } from "./property-budget.ts";
import { chooseServiceOrigin } from "./published-origin.ts";
import { buildPathTemplates, type PathTemplate } from "./templates.ts";

/** What a document is called, and of which traffic it is. */
export interface ServiceDocumentRenderOptions {
  readonly title: string;
  /** Its origin is shown; undefined: the one that most entries were of. */
  readonly baseUrl: string | undefined;
  /** Number of captures. */
  readonly captures: number;
}

/** The document of a service, and what its list says of it. */
export interface RenderedServiceDocument {
  /** JSON. */
  readonly text: string;
  readonly templates: number;
}

/** The revision of `x-svc-replay`. */
const replayVersion = 1;

const idempotent = ["DELETE", "GET", "HEAD", "OPTIONS", "PUT", "TRACE"];

interface ShownOperation {
  readonly template: PathTemplate;
  readonly method: string;
  readonly operation: LearnedOperation;
}

/** The OpenAPI 3.1.0 document of what was learned: the same bytes for equal trees and frames. */
export function renderServiceOpenApi(
  state: LearnedPathNode,
  frame: ServiceDocumentRenderOptions,
): RenderedServiceDocument {
  const origin = chooseServiceOrigin(state, frame.baseUrl);
  const node = state.children.get(origin ?? "") ?? emptyLearnedPathNode;
  const { templates, truncated } = buildPathTemplates(inferPathTemplates(node));
  const shown = templates.flatMap(methodsOf);
  const parts = shown.map(({ operation }) => splitHttpExchangeShape(operation.exchange));
  const room = allocateSchemaPropertyBudget(parts.flatMap(listBodyShapes));
  const ids = buildOperationIds(
    shown.map(({ method, template }) => ({ method, path: template.path })),
  );
  const objects = shown.map(({ template }, index) => {
    const own = parts[index];
    if (own === undefined) throw new Error("an operation has no parts");
    return buildLearnedOperation(ids[index] ?? "", template, own, room);
  });
  const replay = replayOf(node, shown, frame.captures, truncated + room.truncated);
  const text = JSON.stringify({
    openapi: "3.1.0",
    info: { title: frame.title, version: "1" },
    ...(origin !== undefined && { servers: [{ url: origin }] }),
    paths: pathsOf(shown, objects),
    "x-path-templates": templates.map(({ path }) => path),
    "x-svc-replay": replay,
  });
  return { text, templates: templates.length };
}

function methodsOf(template: PathTemplate): ShownOperation[] {
  const sorted = [...template.operations].toSorted(([left], [right]) => (left < right ? -1 : 1));
  return sorted.map(([method, operation]) => ({ template, method, operation }));
}

type Paths = Readonly<Record<string, Readonly<Record<string, LearnedOperationObject>>>>;

function pathsOf(
  shown: readonly ShownOperation[],
  objects: readonly LearnedOperationObject[],
): Paths {
  const paths = new Map<string, [string, LearnedOperationObject][]>();
  for (const [index, { template, method }] of shown.entries()) {
    const object = objects[index];
    if (object === undefined) continue;
    const known = paths.get(template.path) ?? [];
    paths.set(template.path, [...known, [method.toLowerCase(), object]]);
  }
  return Object.fromEntries(
    [...paths].map(([path, methods]) => [path, Object.fromEntries(methods)]),
  );
}

function replayOf(
  node: LearnedPathNode,
  shown: readonly ShownOperation[],
  captures: number,
  truncated: number,
) {
  const { firstDay = null, lastDay = null } = findTrafficDayRange(node);
  const methods = new Set(shown.map(({ method }) => method));
  return {
    version: replayVersion,
    header_rules: buildLearnedServiceHeaderRules(shown.map(({ operation }) => operation)),
    idempotent_methods: idempotent.filter((method) => methods.has(method)),
    provenance: {
      captures,
      observations: countLearnedTrafficEntries(node),
      first_seen: firstDay,
      last_seen: lastDay,
      truncated,
    },
  };
}

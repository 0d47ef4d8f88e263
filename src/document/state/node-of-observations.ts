import { InferredShapeAccumulator } from "../shape/join-shapes.ts";
import { shortHash } from "../shape/short-hashes.ts";
import type { TrafficObservation } from "../har/observe-entry.ts";
import { dropExcessPathChildren, pruneHttpExchangeShape } from "./join-nodes.ts";
import type { LearnedOperation, LearnedPathNode } from "./path-node.ts";

/** Segments of a path; longer addresses are counted and left out. */
const maxDepth = 32;

/** An operation as it grows. */
interface Draft {
  readonly path: readonly string[];
  readonly method: string;
  readonly entries: Set<string>;
  readonly days: Set<string>;
  readonly exchanges: InferredShapeAccumulator;
}

/** Gathers observations before a tree is made of them, which is cheaper than a tree of each. */
export class TrafficObservationCollector {
  readonly #drafts = new Map<string, Draft>();

  add({ path, method, entry, day, exchange }: TrafficObservation): void {
    const key = [method, ...path].join("/");
    const draft = this.#drafts.get(key) ?? newDraft(path, method);
    this.#drafts.set(key, draft);
    draft.entries.add(entry);
    if (day !== undefined) draft.days.add(day);
    draft.exchanges.add(exchange);
  }

  node(): LearnedPathNode {
    return nodeOf([...this.#drafts.values()], 0);
  }
}

function newDraft(path: readonly string[], method: string): Draft {
  return {
    path,
    method,
    entries: new Set(),
    days: new Set(),
    exchanges: new InferredShapeAccumulator(),
  };
}

function nodeOf(drafts: readonly Draft[], depth: number): LearnedPathNode {
  const here = drafts.filter(({ path }) => path.length === depth);
  const below = drafts.filter(({ path }) => path.length > depth);
  const operations = new Map(here.map((draft) => [draft.method, operationOf(draft)]));
  // The origin is no segment.
  if (depth > maxDepth) return { children: new Map(), operations, omitted: omittedOf(below) };
  const byKey = Map.groupBy(below, ({ path }) => path[depth] ?? "");
  const children = new Map([...byKey].map(([key, group]) => [key, nodeOf(group, depth + 1)]));
  return dropExcessPathChildren({ children, operations });
}

function operationOf({ entries, days, exchanges }: Draft): LearnedOperation {
  const sorted = [...days].toSorted();
  return {
    entries,
    firstDay: sorted[0],
    lastDay: sorted.at(-1),
    exchange: pruneHttpExchangeShape(exchanges.total()),
  };
}

/** By the next segment only: what follows it lies deeper still. */
function omittedOf(drafts: readonly Draft[]): ReadonlySet<string> | undefined {
  if (drafts.length === 0) return undefined;
  return new Set(drafts.map(({ path }) => shortHash(path[maxDepth + 1] ?? "")));
}

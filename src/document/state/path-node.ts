import type { InferredShape } from "../shape/shape.ts";

/**
 * What is known of a service: a tree of addresses, its first level the origins,
 * every further one a segment of the path. Trees are a join-semilattice like the
 * shapes in them, see `mergeLearnedPathTrees`. Each entry of a capture leaves one short hash,
 * so that an equal one adds nothing.
 */
export interface LearnedPathNode {
  /** By segment; `{integer}` and its like stand for values. */
  readonly children: ReadonlyMap<string, LearnedPathNode>;
  /** By HTTP method, in upper case. */
  readonly operations: ReadonlyMap<string, LearnedOperation>;
  /** Short hashes of the segments that were left out here; undefined: none was. */
  readonly omitted?: ReadonlySet<string> | undefined;
}

/** What was seen of one method at one place. */
export interface LearnedOperation {
  /** Short hashes of the entries, the smallest 131 072 of them. */
  readonly entries: ReadonlySet<string>;
  /** Days of the first and of the last, `2026-11-20`; undefined: no entry said when. */
  readonly firstDay?: string | undefined;
  readonly lastDay?: string | undefined;
  /**
   * The exchange as one object: members `query`, `headers`, `body` by media type, and
   * `responses` by status, in each the bodies by media type.
   */
  readonly exchange: InferredShape;
}

/** A tree of nothing. */
export const emptyLearnedPathNode: LearnedPathNode = { children: new Map(), operations: new Map() };

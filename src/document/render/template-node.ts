import type { Shape } from "../shape/shape.ts";
import type { LearnedOperation } from "../state/path-node.ts";

/** A place of a path after it was decided which segments are parameters. */
export interface TemplateNode {
  readonly constants: ReadonlyMap<string, TemplateNode>;
  readonly parameter: PathParameterBranch | undefined;
  readonly operations: ReadonlyMap<string, LearnedOperation>;
  /** Segments that were left out here. */
  readonly omitted: number;
}

/** What stands for any segment at one place. */
export interface PathParameterBranch {
  /** What its values are. */
  readonly values: Shape;
  readonly node: TemplateNode;
}

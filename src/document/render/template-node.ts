import type { InferredShape } from "../shape/shape.ts";
import type { LearnedOperation } from "../state/path-node.ts";

/** A place of a path after it was decided which segments are parameters. */
export interface PathTemplateNode {
  readonly constants: ReadonlyMap<string, PathTemplateNode>;
  readonly parameter: TemplateParameterBranch | undefined;
  readonly operations: ReadonlyMap<string, LearnedOperation>;
  /** Segments that were left out here. */
  readonly omitted: number;
}

/** What stands for any segment at one place. */
export interface TemplateParameterBranch {
  /** What its values are. */
  readonly values: InferredShape;
  readonly node: PathTemplateNode;
}

import type { TargetContext } from "../codec.ts";
import type { ToolNames } from "../tool-names.ts";
import type { CacheBreakpoint, Turn } from "../turn.ts";

/** A request that is being written for one upstream. */
export interface Writing extends TargetContext {
  readonly turn: Turn;
  readonly names: ToolNames;
  /** The cache breakpoints that the upstream gets; the others are lost already. */
  readonly breakpoints: ReadonlySet<CacheBreakpoint>;
}

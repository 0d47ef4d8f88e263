import type { TargetContext } from "../codec.ts";
import type { ToolNames } from "../tool-names.ts";
import type { CacheBreakpoint, Turn } from "../turn.ts";
import type { WireObject } from "./wire.ts";

/** A request that is being written for one upstream. */
export interface Writing extends TargetContext {
  readonly turn: Turn;
  readonly names: ToolNames;
  /** The cache breakpoints that the upstream gets; the others are lost already. */
  readonly breakpoints: ReadonlySet<CacheBreakpoint>;
}

/** The members that have a value. */
export function told(members: WireObject): WireObject {
  const kept: WireObject = {};
  for (const name of Object.keys(members)) {
    if (members[name] !== undefined) kept[name] = members[name];
  }
  return kept;
}

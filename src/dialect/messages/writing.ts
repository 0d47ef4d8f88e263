import { legalCallIds } from "../call-ids.ts";
import type { TargetContext } from "../codec.ts";
import { nameTools, type ToolNames } from "../tool-names.ts";
import type { CacheBreakpoint, Turn } from "../turn.ts";
import { keptBreakpoints } from "./cache-breakpoints.ts";
import { longestToolName, type WireObject } from "./wire.ts";

/** What every part of the request's encoder needs. */
export interface Writing extends TargetContext {
  readonly turn: Turn;
  readonly names: ToolNames;
  /** Call ids of the history as the upstream takes them, by the caller's. */
  readonly callIds: ReadonlyMap<string, string>;
  readonly breakpoints: ReadonlySet<CacheBreakpoint>;
}

/** Names, ids and breakpoints are decided once, before anything is written. */
export function startWriting(turn: Turn, target: TargetContext): Writing {
  return {
    ...target,
    turn,
    names: nameTools(turn, longestToolName),
    callIds: legalCallIds(turn),
    breakpoints: keptBreakpoints(turn, target.ledger),
  };
}

/** The `cache_control` member of a block, if it keeps its breakpoint. */
export function cacheControl(
  { breakpoints, turn }: Writing,
  cache: CacheBreakpoint | undefined,
): WireObject {
  if (cache === undefined || !breakpoints.has(cache)) return {};
  const isKnown = turn.origin === "dialect_messages" || cache.ttl === "5m" || cache.ttl === "1h";
  const ttl = isKnown && cache.ttl !== undefined ? { ttl: cache.ttl } : {};
  return { cache_control: { type: "ephemeral", ...ttl } };
}

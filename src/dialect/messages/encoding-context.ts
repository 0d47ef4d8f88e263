import { buildSanitizedCallIdMap } from "../tool-call-ids.ts";
import type { TargetEncodingContext } from "../codec.ts";
import { buildToolNames, type UpstreamToolNames } from "../tool-names.ts";
import type { CacheBreakpoint, NeutralRequest } from "../neutral-request.ts";
import { selectCacheBreakpoints } from "./cache-breakpoints.ts";
import { maxToolNameLength, type MessagesWireObject } from "./wire.ts";

/** What every part of the request's encoder needs. */
export interface RequestEncodingContext extends TargetEncodingContext {
  readonly request: NeutralRequest;
  readonly names: UpstreamToolNames;
  /** Call ids of the history as the upstream takes them, by the caller's. */
  readonly callIds: ReadonlyMap<string, string>;
  readonly breakpoints: ReadonlySet<CacheBreakpoint>;
}

/** Names, ids and breakpoints are decided once, before anything is written. */
export function createRequestEncodingContext(
  turn: NeutralRequest,
  target: TargetEncodingContext,
): RequestEncodingContext {
  return {
    ...target,
    request: turn,
    names: buildToolNames(turn, maxToolNameLength),
    callIds: buildSanitizedCallIdMap(turn),
    breakpoints: selectCacheBreakpoints(turn, target.warnings),
  };
}

/** The `cache_control` member of a block, if it keeps its breakpoint. */
export function encodeCacheControl(
  { breakpoints, request: turn }: RequestEncodingContext,
  cache: CacheBreakpoint | undefined,
): MessagesWireObject {
  if (cache === undefined || !breakpoints.has(cache)) return {};
  const isKnown = turn.origin === "dialect_messages" || cache.ttl === "5m" || cache.ttl === "1h";
  const ttl = isKnown && cache.ttl !== undefined ? { ttl: cache.ttl } : {};
  return { cache_control: { type: "ephemeral", ...ttl } };
}

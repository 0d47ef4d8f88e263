import { buildSanitizedCallIdMap } from "../tool-call-ids.ts";
import type { TargetEncodingContext } from "../codec.ts";
import { buildToolNames, type UpstreamToolNames } from "../tool-names.ts";
import type { CacheBreakpoint, NeutralRequest } from "../neutral-request.ts";
import { selectMessagesCacheBreakpoints } from "./cache-breakpoints.ts";
import { maxMessagesToolNameLength, type MessagesWireObject } from "./wire.ts";

/** What every part of the request's encoder needs. */
export interface MessagesRequestEncodingContext extends TargetEncodingContext {
  readonly request: NeutralRequest;
  readonly names: UpstreamToolNames;
  /** Call ids of the history as the upstream takes them, by the caller's. */
  readonly callIds: ReadonlyMap<string, string>;
  readonly breakpoints: ReadonlySet<CacheBreakpoint>;
}

/** Names, ids and breakpoints are decided once, before anything is written. */
export function createMessagesRequestEncodingContext(
  turn: NeutralRequest,
  target: TargetEncodingContext,
): MessagesRequestEncodingContext {
  return {
    ...target,
    request: turn,
    names: buildToolNames(turn, maxMessagesToolNameLength),
    callIds: buildSanitizedCallIdMap(turn),
    breakpoints: selectMessagesCacheBreakpoints(turn, target.warnings),
  };
}

/** The `cache_control` member of a block, if it keeps its breakpoint. */
export function encodeMessagesCacheControl(
  { breakpoints, request: turn }: MessagesRequestEncodingContext,
  cache: CacheBreakpoint | undefined,
): MessagesWireObject {
  if (cache === undefined || !breakpoints.has(cache)) return {};
  const isKnown = turn.origin === "dialect_messages" || cache.ttl === "5m" || cache.ttl === "1h";
  const ttl = isKnown && cache.ttl !== undefined ? { ttl: cache.ttl } : {};
  return { cache_control: { type: "ephemeral", ...ttl } };
}

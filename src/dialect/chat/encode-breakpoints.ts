import type { TargetEncodingContext } from "../codec.ts";
import type { CacheBreakpoint, NeutralPart, NeutralRequest } from "../neutral-request.ts";
import { maxChatCacheBreakpoints, type ChatWireObject } from "./wire.ts";
import type { ChatRequestEncodingContext } from "./encoding-context.ts";

/** Times to live that chat has words for. */
const knownTtls = new Set(["30m", "12h"]);
/** What messages means when it says nothing. */
const defaultTtl = "5m";

const none: ReadonlySet<CacheBreakpoint> = new Set();

/**
 * Chooses the cache breakpoints that are written, the last ones if there are too
 * many. Those on tools, calls and thoughts have no place in chat.
 */
export function selectChatCacheBreakpoints(
  turn: NeutralRequest,
  { capabilities, warnings: ledger }: TargetEncodingContext,
): ReadonlySet<CacheBreakpoint> {
  const all = allBreakpoints(turn);
  if (all.length === 0) return none;
  const placed = [...turn.system, ...turn.messages.flatMap(({ parts }) => parts)].flatMap(placedIn);
  const kept = new Set(capabilities.promptCache ? placed.slice(-maxChatCacheBreakpoints) : []);
  const inPlace = new Set(placed);
  for (const cache of all) {
    if (!kept.has(cache))
      ledger.drop(cache.path, reasonOf(cache, inPlace, capabilities.promptCache));
    else if (isOtherTime(cache)) ledger.approximate(`${cache.path}.ttl`, "default");
  }
  return kept;
}

/** The member of a part that marks it; empty for most. */
export function buildChatCacheBreakpointMember(
  cache: CacheBreakpoint | undefined,
  writing: ChatRequestEncodingContext,
): ChatWireObject {
  if (cache === undefined || !writing.breakpoints.has(cache)) return {};
  const isKnown = cache.ttl !== undefined && knownTtls.has(cache.ttl);
  const marked = isKnown ? { mode: "explicit", ttl: cache.ttl } : { mode: "explicit" };
  return { prompt_cache_breakpoint: marked };
}

function isOtherTime({ ttl }: CacheBreakpoint): boolean {
  return ttl !== undefined && ttl !== defaultTtl && !knownTtls.has(ttl);
}

function reasonOf(cache: CacheBreakpoint, placed: ReadonlySet<CacheBreakpoint>, isTaken: boolean) {
  if (!isTaken) return "unsupported";
  return placed.has(cache) ? "limit" : "position";
}

function placedIn(part: NeutralPart): readonly CacheBreakpoint[] {
  const mayCarry = part.type === "text" || part.type === "image" || part.type === "file";
  return mayCarry && part.cache !== undefined ? [part.cache] : [];
}

function allBreakpoints({ system, messages, tools }: NeutralRequest): readonly CacheBreakpoint[] {
  const found: CacheBreakpoint[] = [];
  addBreakpoints(system, found);
  for (const { parts } of messages) addBreakpoints(parts, found);
  for (const { cache } of tools) if (cache !== undefined) found.push(cache);
  return found;
}

function addBreakpoints(parts: readonly NeutralPart[], found: CacheBreakpoint[]): void {
  for (const part of parts) {
    if (part.cache !== undefined) found.push(part.cache);
    if (part.type === "tool-result") addBreakpoints(part.content, found);
  }
}

import type { ConversionWarningCollector } from "../conversion-warning.ts";
import type { CacheBreakpoint, NeutralPart, NeutralRequest } from "../neutral-request.ts";
import { maxMessagesCacheBreakpoints } from "./wire.ts";

const none: ReadonlySet<CacheBreakpoint> = new Set();
const lifetimes = new Set([undefined, "5m", "1h"]);

/**
 * The breakpoints that are sent: the last four, for the vendor takes no more,
 * and the later ones cover what the earlier would have.
 */
export function selectMessagesCacheBreakpoints(
  turn: NeutralRequest,
  ledger: ConversionWarningCollector,
): ReadonlySet<CacheBreakpoint> {
  const all = breakpointsOf(turn);
  if (all.length === 0) return none;
  const kept = turn.origin === "dialect_messages" ? all : all.slice(-maxMessagesCacheBreakpoints);
  for (const left of all.slice(0, all.length - kept.length)) ledger.drop(left.path, "limit");
  for (const { ttl, path } of kept) {
    if (!lifetimes.has(ttl)) ledger.approximate(`${path}.ttl`, "default");
  }
  return new Set(kept);
}

/** In the order in which the upstream reads them. */
function breakpointsOf({ tools, system, messages }: NeutralRequest): readonly CacheBreakpoint[] {
  const found: CacheBreakpoint[] = [];
  for (const { cache } of tools) if (cache !== undefined) found.push(cache);
  addBreakpoints(system, found);
  for (const { parts } of messages) addBreakpoints(parts, found);
  return found;
}

/** Thinking cannot carry one. */
function addBreakpoints(parts: readonly NeutralPart[], found: CacheBreakpoint[]): void {
  for (const part of parts) {
    if (part.type === "tool-result") addBreakpoints(part.content, found);
    if (part.type !== "reasoning" && part.cache !== undefined) found.push(part.cache);
  }
}

import type { LossLedger } from "../loss.ts";
import type { CacheBreakpoint, Part, Turn } from "../turn.ts";
import { mostBreakpoints } from "./wire.ts";

const lifetimes = new Set([undefined, "5m", "1h"]);

/**
 * The breakpoints that are sent: the last four, for the vendor takes no more,
 * and the later ones cover what the earlier would have.
 */
export function keptBreakpoints(turn: Turn, ledger: LossLedger): ReadonlySet<CacheBreakpoint> {
  const all = breakpointsOf(turn);
  const kept = turn.origin === "dialect_messages" ? all : all.slice(-mostBreakpoints);
  for (const left of all.slice(0, all.length - kept.length)) ledger.drop(left.path, "limit");
  for (const { ttl, path } of kept) {
    if (!lifetimes.has(ttl)) ledger.approximate(`${path}.ttl`, "default");
  }
  return new Set(kept);
}

/** In the order in which the upstream reads them. */
function breakpointsOf(turn: Turn): readonly CacheBreakpoint[] {
  const parts = [...turn.system, ...turn.messages.flatMap((message) => message.parts)];
  return [...turn.tools.flatMap(({ cache }) => cache ?? []), ...parts.flatMap(breakpointsOfPart)];
}

/** Thinking cannot carry one. */
function breakpointsOfPart(part: Part): readonly CacheBreakpoint[] {
  if (part.type === "reasoning") return [];
  const inner = part.type === "tool-result" ? part.content.flatMap(breakpointsOfPart) : [];
  return part.cache === undefined ? inner : [...inner, part.cache];
}

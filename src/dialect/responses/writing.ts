import type { TargetContext } from "../codec.ts";
import type { ToolNames } from "../tool-names.ts";
import type { CacheBreakpoint, Turn } from "../turn.ts";
import type { WireObject } from "./wire.ts";

/** A request that is being written for one upstream. */
export interface Writing extends TargetContext {
  readonly turn: Turn;
  readonly names: ToolNames;
}

/** Whether a part was the whole content, as one string. */
export function isWholeContent({ path }: { readonly path: string }): boolean {
  return !path.endsWith("]");
}

const lifetimes: ReadonlySet<string> = new Set(["30m", "12h"]);

/** The mark of a cache breakpoint behind an input part; a lifetime of another dialect is left out. */
export function breakpoint(
  cache: CacheBreakpoint | undefined,
  { capabilities, ledger }: Writing,
): WireObject {
  if (cache === undefined || !capabilities.promptCache) return dropCache(cache, ledger);
  const { ttl, path } = cache;
  if (ttl !== undefined && ttl !== "5m" && !lifetimes.has(ttl)) {
    ledger.approximate(`${path}.ttl`, "default");
  }
  const kept = ttl !== undefined && lifetimes.has(ttl) ? { ttl } : {};
  return { prompt_cache_breakpoint: { mode: "explicit", ...kept } };
}

/** Only input parts can carry a breakpoint. */
export function dropCache(
  cache: CacheBreakpoint | undefined,
  ledger: Writing["ledger"],
): Record<string, never> {
  if (cache !== undefined) ledger.drop(cache.path, "unsupported");
  return {};
}

import type { TargetEncodingContext } from "../codec.ts";
import type { UpstreamToolNames } from "../tool-names.ts";
import type { CacheBreakpoint, NeutralRequest } from "../neutral-request.ts";
import type { ResponsesWireObject } from "./wire.ts";

/** A request that is being written for one upstream. */
export interface ResponsesRequestEncodingContext extends TargetEncodingContext {
  readonly request: NeutralRequest;
  readonly names: UpstreamToolNames;
}

/** Whether a part was the whole content, as one string. */
export function wasSingleStringContent({ path }: { readonly path: string }): boolean {
  return !path.endsWith("]");
}

const lifetimes: ReadonlySet<string> = new Set(["30m", "12h"]);

/** The mark of a cache breakpoint behind an input part; a lifetime of another dialect is left out. */
export function encodeResponsesCacheBreakpoint(
  cache: CacheBreakpoint | undefined,
  { capabilities, warnings: ledger }: ResponsesRequestEncodingContext,
): ResponsesWireObject {
  if (cache === undefined || !capabilities.promptCache) return omitCacheBreakpoint(cache, ledger);
  const { ttl, path } = cache;
  if (ttl !== undefined && ttl !== "5m" && !lifetimes.has(ttl)) {
    ledger.approximate(`${path}.ttl`, "default");
  }
  const kept = ttl !== undefined && lifetimes.has(ttl) ? { ttl } : {};
  return { prompt_cache_breakpoint: { mode: "explicit", ...kept } };
}

/** Only input parts can carry a breakpoint. */
export function omitCacheBreakpoint(
  cache: CacheBreakpoint | undefined,
  ledger: ResponsesRequestEncodingContext["warnings"],
): Record<string, never> {
  if (cache !== undefined) ledger.drop(cache.path, "unsupported");
  return {};
}

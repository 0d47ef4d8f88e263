import type { RequestFieldReader } from "../body-reader.ts";
import type { CacheBreakpoint } from "../neutral-request.ts";

/** A breakpoint in chat's own words, or in those of messages, which some callers send to any server. */
export function decodeChatCacheBreakpoint(item: RequestFieldReader): CacheBreakpoint | undefined {
  const own = item.object("prompt_cache_breakpoint");
  if (own !== undefined) return { path: own.path, ttl: own.string("ttl") };
  const foreign = item.object("cache_control");
  return foreign === undefined ? undefined : { path: foreign.path, ttl: foreign.string("ttl") };
}

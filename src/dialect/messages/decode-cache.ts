import type { RequestFieldReader } from "../body-reader.ts";
import type { CacheBreakpoint } from "../neutral-request.ts";

/** `cache_control` of a block or tool. */
export function decodeMessagesCacheControl(
  object: RequestFieldReader,
): CacheBreakpoint | undefined {
  const control = object.object("cache_control");
  return control === undefined ? undefined : { path: control.path, ttl: control.string("ttl") };
}

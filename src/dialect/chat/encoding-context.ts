import type { TargetEncodingContext } from "../codec.ts";
import type { UpstreamToolNames } from "../tool-names.ts";
import type { CacheBreakpoint, NeutralRequest } from "../neutral-request.ts";

/** A request that is being written for one upstream. */
export interface ChatRequestEncodingContext extends TargetEncodingContext {
  readonly request: NeutralRequest;
  readonly names: UpstreamToolNames;
  /** The cache breakpoints that the upstream gets; the others are lost already. */
  readonly breakpoints: ReadonlySet<CacheBreakpoint>;
}

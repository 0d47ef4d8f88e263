import type { Usage } from "../../dialect/usage.ts";

/** Who gives a caller its answer, and can tell what of it was used. */
export interface UsageMeter {
  /**
   * What the upstream told in an answer that was passed on as it is; undefined: nothing.
   * Exact for a call that is paid from credits, else what its beginning and end show.
   */
  readUsage(): Usage | undefined;
  /** Tokens that the caller was given, as far as they can be counted without reading them. */
  relayedTokens(): number;
}

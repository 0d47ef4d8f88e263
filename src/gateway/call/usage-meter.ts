import type { TokenUsage } from "../../dialect/usage.ts";

/** Reports what of an answer was used, for the one that passes it on. */
export interface ResponseUsageMeter {
  /**
   * What the upstream told in an answer that was passed on as it is; undefined: nothing.
   * Exact for a call that is paid from credits, else what its beginning and end show.
   */
  readUsage(): TokenUsage | undefined;
  /** Tokens that the caller was given, as far as they can be counted without reading them. */
  relayedTokens(): number;
}

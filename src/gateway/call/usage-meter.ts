import type { Usage } from "../../dialect/usage.ts";

/** Who gives a caller its answer, and can tell what of it was used. */
export interface UsageMeter {
  /**
   * What the upstream told in an answer that was passed on as it is; undefined: nothing.
   * What is paid for is read exactly; for the rest a look is enough.
   */
  readUsage(isPaid: boolean): Usage | undefined;
  /** Tokens that the caller was given, as far as they can be counted without reading them. */
  relayedTokens(): number;
}

import { ApiError } from "../errors.ts";
import type { Principal } from "../principal.ts";

/** The account that a caller works on. Throws 403 for a caller that has none. */
export function requireAccountId(principal: Principal): string {
  if (principal.kind === "key" || principal.kind === "session") return principal.accountId;
  throw new ApiError("insufficient_scope", "This operation needs a caller key or a session.");
}

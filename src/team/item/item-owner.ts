import { ApiError } from "../../platform/errors.ts";
import { requireAccountId } from "../../platform/endpoint/require-account.ts";
import type { Principal } from "../../platform/principal.ts";

/** The person whose items the caller works on. Throws 403 for a team key, which owns none. */
export function requireAgentExtensionOwnerId(principal: Principal): string {
  if (principal.kind === "key" && principal.teamId !== undefined) {
    throw new ApiError(
      "insufficient_scope",
      "A team key owns no items: use a key or a session of a person.",
    );
  }
  return requireAccountId(principal);
}

import type { HandlerContext } from "@connectrpc/connect";
import type { KeyAuthenticator } from "../ports.ts";
import type { CallerKey } from "../../kernel/caller-key.ts";
import type { Warm } from "../../platform/warm.ts";

/** The key that the gate has let in, with its settings. */
export function keyOfContext(
  authenticator: KeyAuthenticator,
  { requestHeader }: HandlerContext,
): Warm<CallerKey> {
  const headers = {
    authorization: requestHeader.get("authorization") ?? undefined,
    "x-api-key": requestHeader.get("x-api-key") ?? undefined,
  };
  return authenticator.authenticateModelCall(headers, undefined, () => undefined);
}

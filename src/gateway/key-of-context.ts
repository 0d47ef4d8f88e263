import type { HandlerContext } from "@connectrpc/connect";
import type { CallerKey, KeyAuthenticator, Warm } from "./ports.ts";

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

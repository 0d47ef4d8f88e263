import type { HandlerContext } from "@connectrpc/connect";
import type { CallerKeyAuthenticator } from "../ports.ts";
import type { CallerKey } from "../../domain/caller-key.ts";
import type { MaybePromise } from "../../platform/maybe-promise.ts";

/** The key that the gate has let in, with its settings. */
export function authenticateRpcCallerKey(
  authenticator: CallerKeyAuthenticator,
  { requestHeader }: HandlerContext,
): MaybePromise<CallerKey> {
  const headers = {
    authorization: requestHeader.get("authorization") ?? undefined,
    "x-api-key": requestHeader.get("x-api-key") ?? undefined,
  };
  return authenticator.authenticateModelCall(headers, undefined, () => undefined);
}

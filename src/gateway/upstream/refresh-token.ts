import { toCallFailure, type CallFailure } from "../call/call-failure.ts";
import type { ResolvedUpstream } from "./call-target.ts";

/**
 * Puts another token in the place of one that was refused with `refusal`. Resolves
 * with why the call ends instead; undefined: it can be dialled again.
 */
export function refreshTokenOrReturnFailure(
  target: ResolvedUpstream,
  refusal: CallFailure,
): Promise<CallFailure | undefined> {
  const renewal = target.renew?.() ?? Promise.resolve(false);
  return renewal.then((isRenewed) => (isRenewed ? undefined : refusal), toCallFailure);
}

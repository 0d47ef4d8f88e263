import { chainMaybePromise, type MaybePromise } from "../../platform/maybe-promise.ts";
import { assertVendorLoginUsable, type CallableUpstream, type PlannedCallTarget } from "./plan.ts";

/**
 * The plan with a token that lives, where it leads to a linked login; synchronous
 * while the present one does. Rejects with 403 for a login that has ended, with 502
 * for one that could not be renewed.
 */
export function ensureFreshPlannedTargetToken(
  plan: PlannedCallTarget,
): MaybePromise<PlannedCallTarget> {
  const live = ensureFreshTargetAccessToken(plan.target);
  return live === plan.target ? plan : chainMaybePromise(live, (target) => ({ ...plan, target }));
}

/** The same of a target alone. */
export function ensureFreshTargetAccessToken(
  target: CallableUpstream,
): MaybePromise<CallableUpstream> {
  if (target.kind !== "vendor" || target.vendor.login === undefined) return target;
  return chainMaybePromise(target.vendor.login.currentVendor(), (vendor) => {
    if (vendor === target.vendor) return target;
    assertVendorLoginUsable(vendor);
    return { kind: "vendor", vendor };
  });
}

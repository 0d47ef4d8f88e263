import { chainMaybePromise, type MaybePromise } from "../../platform/maybe-promise.ts";
import { assertLoginUsable, type AccountTarget, type CallPlan } from "./plan.ts";

/**
 * The plan with a token that lives, where it leads to a linked login; synchronous
 * while the present one does. Rejects with 403 for a login that has ended, with 502
 * for one that could not be renewed.
 */
export function ensureFreshCallPlanToken(plan: CallPlan): MaybePromise<CallPlan> {
  const live = ensureFreshTargetToken(plan.target);
  return live === plan.target ? plan : chainMaybePromise(live, (target) => ({ ...plan, target }));
}

/** The same of a target alone. */
export function ensureFreshTargetToken(target: AccountTarget): MaybePromise<AccountTarget> {
  if (target.kind !== "vendor" || target.vendor.login === undefined) return target;
  return chainMaybePromise(target.vendor.login.currentVendor(), (vendor) => {
    if (vendor === target.vendor) return target;
    assertLoginUsable(vendor);
    return { kind: "vendor", vendor };
  });
}

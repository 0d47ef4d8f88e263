import { chain, type MaybePromise } from "../../platform/maybe-promise.ts";
import { assertLoginUsable, type AccountTarget, type Plan } from "./plan.ts";

/**
 * The plan with a token that lives, where it leads to a linked login; synchronous
 * while the present one does. Rejects with 403 for a login that has ended, with 502
 * for one that could not be renewed.
 */
export function withFreshToken(plan: Plan): MaybePromise<Plan> {
  const live = targetWithFreshToken(plan.target);
  return live === plan.target ? plan : chain(live, (target) => ({ ...plan, target }));
}

/** The same of a target alone. */
export function targetWithFreshToken(target: AccountTarget): MaybePromise<AccountTarget> {
  if (target.kind !== "vendor" || target.vendor.login === undefined) return target;
  return chain(target.vendor.login.currentVendor(), (vendor) => {
    if (vendor === target.vendor) return target;
    assertLoginUsable(vendor);
    return { kind: "vendor", vendor };
  });
}

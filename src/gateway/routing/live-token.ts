import { whenWarm, type Warm } from "../../platform/warm.ts";
import { refuseEndedLogin, type OwnTarget, type Plan } from "./plan.ts";

/**
 * The plan with a token that lives, where it leads to a linked login; synchronous
 * while the present one does. Rejects with 403 for a login that has ended, with 502
 * for one that could not be renewed.
 */
export function withLiveToken(plan: Plan): Warm<Plan> {
  const live = liveTarget(plan.target);
  return live === plan.target ? plan : whenWarm(live, (target) => ({ ...plan, target }));
}

/** The same of a target alone. */
export function liveTarget(target: OwnTarget): Warm<OwnTarget> {
  if (target.kind !== "vendor" || target.vendor.login === undefined) return target;
  return whenWarm(target.vendor.login.fresh(), (vendor) => {
    if (vendor === target.vendor) return target;
    refuseEndedLogin(vendor);
    return { kind: "vendor", vendor };
  });
}

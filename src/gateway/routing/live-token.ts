import { refuseEndedLogin, type Plan } from "./plan.ts";
import type { Warm } from "../../platform/warm.ts";
import { whenWarm } from "../../platform/warm.ts";

/**
 * The plan with a token that lives, where it leads to a linked login; synchronous
 * while the present one does. Rejects with 403 for a login that has ended, with 502
 * for one that could not be renewed.
 */
export function withLiveToken(plan: Plan): Warm<Plan> {
  const { target } = plan;
  if (target.kind !== "vendor" || target.vendor.login === undefined) return plan;
  const { vendor: planned } = target;
  return whenWarm(target.vendor.login.fresh(), (vendor) => {
    if (vendor === planned) return plan;
    refuseEndedLogin(vendor);
    return { ...plan, target: { kind: "vendor", vendor } };
  });
}

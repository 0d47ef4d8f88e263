import type { PaymentRoutePreference } from "../../domain/caller-key.ts";
import type { TargetSkipReason } from "../../domain/call-log-entry.ts";
import { ApiError, invalidRequestError } from "../../platform/errors.ts";
import type { ResolvedAliasTarget } from "./account-targets.ts";
import { planCallTarget, type PlannedCallTarget, type CallPlanInput } from "./plan.ts";

/** A target that cannot have the call, and the refusal of a call that names no other. */
export interface SkippedAliasTargetWithError {
  readonly reason: TargetSkipReason;
  readonly error: ApiError;
}

/** The call of a pool: what is the same for each of its targets. */
export type AliasTargetPlanInput = Pick<
  CallPlanInput,
  "dialect" | "isConversation" | "key" | "controls"
>;

/**
 * Plans a call for one target of an alias. `isAnyOwn`: one of the targets is served by
 * a credential of the account's own, which no other target takes the call from.
 */
export function planAliasTargetCall(
  call: AliasTargetPlanInput,
  { target, model }: ResolvedAliasTarget,
  isAnyOwn: boolean,
): PlannedCallTarget | SkippedAliasTargetWithError {
  if (model instanceof ApiError) return { reason: "no_credential", error: model };
  const asked = call.controls.route ?? call.key.route;
  const route = routeOf(target.route, asked, isAnyOwn);
  if (route === undefined) return otherRoute(target.route, asked);
  try {
    return planCallTarget({ ...call, ...model, controls: { ...call.controls, route } });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const isKept = isAnyOwn && asked === "auto" && target.route === undefined;
    return { reason: reasonOf(error, isKept && model.creditsModel !== undefined), error };
  }
}

/** Undefined: the target and the call do not agree. */
function routeOf(
  ofTarget: ResolvedAliasTarget["target"]["route"],
  asked: PaymentRoutePreference,
  isAnyOwn: boolean,
): PaymentRoutePreference | undefined {
  if (ofTarget === undefined) return asked === "auto" && isAnyOwn ? "byo" : asked;
  return asked === "auto" || asked === ofTarget ? ofTarget : undefined;
}

function otherRoute(
  ofTarget: ResolvedAliasTarget["target"]["route"],
  asked: PaymentRoutePreference,
): SkippedAliasTargetWithError {
  return {
    reason: "route",
    error: invalidRequestError(
      "x-svc-route",
      `The alias has this target on the route \`${ofTarget}\` only, and the call may have \`${asked}\` only: use the route \`auto\`, or change the alias.`,
    ),
  };
}

/** `couldBeSold`: with another route it would be served. */
function reasonOf({ code, param }: ApiError, couldBeSold: boolean): TargetSkipReason {
  if (code === "model_not_allowed") return "not_allowed";
  if (param === "x-svc-route" || couldBeSold) return "route";
  return code === "invalid_request" ? "mode" : "no_credential";
}

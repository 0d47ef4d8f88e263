import type { AliasStrategy } from "../../domain/alias-target.ts";
import type { SkippedTarget } from "../../domain/call-log-entry.ts";
import type { ApiError } from "../../platform/errors.ts";
import { sortTargetsByStrategy } from "./order-targets.ts";
import type { ResolvedAliasPool, ResolvedAliasTarget } from "./account-targets.ts";
import { planAliasTargetCall, type AliasTargetPlanInput } from "./plan-target.ts";
import type { PlannedCallTarget } from "./plan.ts";
import type { TargetHealth } from "./pooled-target.ts";

/** A place where a call may be served. */
export interface RoutingCandidate {
  readonly plan: PlannedCallTarget;
  /** What is known of it as a target of aliases; undefined: the call names its model itself. */
  readonly pooled: TargetHealth | undefined;
}

/** Where a call goes, decided before anything is dialled. */
export interface RoutingDecision {
  /** Each is tried once at most, in this order. */
  readonly candidates: readonly RoutingCandidate[];
  /** Targets of the alias that are not tried. */
  readonly skipped: readonly SkippedTarget[];
  /** What the call is told when it has no candidate. */
  readonly error?: ApiError | undefined;
}

/** A target that the call may have. */
export interface EligibleRoutingTarget extends RoutingCandidate {
  readonly pooled: TargetHealth;
  readonly weight: number;
}

/** The targets of an alias, by whether a call may have them. */
export interface RoutingTargetsByEligibility {
  readonly usable: readonly EligibleRoutingTarget[];
  readonly skipped: readonly SkippedTarget[];
  /** Of the first, when the call may have none. */
  readonly refusal: ApiError | undefined;
}

/** Plans a call for each target of an alias. `pooledOf`: what is known of the target of a plan. */
export function partitionRoutingTargets(
  call: AliasTargetPlanInput,
  { targets }: ResolvedAliasPool,
  pooledOf: (plan: PlannedCallTarget) => TargetHealth,
): RoutingTargetsByEligibility {
  const isAnyOwn = targets.some(isByo);
  const planned = targets.map((resolved) => ({
    resolved,
    plan: planAliasTargetCall(call, resolved, isAnyOwn),
  }));
  const usable = planned.flatMap(({ resolved, plan }) =>
    "error" in plan ? [] : [{ plan, pooled: pooledOf(plan), weight: resolved.target.weight ?? 1 }],
  );
  const skipped = planned.flatMap(({ resolved, plan }) =>
    "error" in plan ? [{ target: nameOf(resolved), reason: plan.reason }] : [],
  );
  const first = planned[0]?.plan;
  const isRefused = usable.length === 0 && first !== undefined && "error" in first;
  return { usable, skipped, refusal: isRefused ? first.error : undefined };
}

/**
 * Decides in which order a call tries the targets that it may have. Those that rest
 * are left out, unless all do: then the one that rests least has the call. `draw` is that of
 * `orderTargets`.
 */
export function orderRoutingCandidates(
  strategy: AliasStrategy,
  { usable, skipped, refusal }: RoutingTargetsByEligibility,
  draw: (target?: EligibleRoutingTarget) => number,
): RoutingDecision {
  const awake = usable.filter(({ pooled }) => pooled.cooldown === undefined);
  const candidates = awake.length === 0 ? soonestAvailable(usable) : inOrder(strategy, awake, draw);
  const resting = usable.filter((target) => !candidates.includes(target));
  return {
    candidates,
    skipped: [
      ...skipped,
      ...resting.map(({ plan }) => ({ target: plan.canonicalId, reason: "resting" }) as const),
    ],
    error: refusal,
  };
}

function inOrder(
  strategy: AliasStrategy,
  targets: readonly EligibleRoutingTarget[],
  draw: (target?: EligibleRoutingTarget) => number,
): readonly EligibleRoutingTarget[] {
  const ordered = targets.map((target) => ({
    target,
    weight: target.weight,
    firstByteMs: target.pooled.firstByteMs,
  }));
  return sortTargetsByStrategy(strategy, ordered, (one) => draw(one?.target)).map(
    ({ target }) => target,
  );
}

function soonestAvailable(
  targets: readonly EligibleRoutingTarget[],
): readonly EligibleRoutingTarget[] {
  const end = ({ pooled }: EligibleRoutingTarget): number => pooled.cooldown?.until ?? 0;
  return targets.toSorted((one, other) => end(one) - end(other)).slice(0, 1);
}

function isByo({ target, model }: ResolvedAliasTarget): boolean {
  return target.route !== "credits" && "accountTargets" in model && model.accountTargets.length > 0;
}

/** Canonical id of a target that has no plan. */
function nameOf({ target, model }: ResolvedAliasTarget): string {
  const id = "reference" in model && "model" in model.reference ? model.reference.model : "";
  return `${target.vendor}/${id}`;
}

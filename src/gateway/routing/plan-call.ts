import { chainMaybePromise, type MaybePromise } from "../../platform/maybe-promise.ts";
import { ApiError } from "../../platform/errors.ts";
import type { DialectOperation } from "../../dialect/dialect-surface.ts";
import type { ModelCall } from "../call/model-call.ts";
import type { CallWithBody } from "../call/read-call.ts";
import type { RoutingCandidate, RoutingDecision } from "./order-candidates.ts";
import type { ResolvedModel } from "./account-targets.ts";
import { planCallTarget, speaksDialectNatively } from "./plan.ts";
import { planMultiTargetAliasRouting, type RoutingDependencies } from "./plan-pool.ts";
import type { ResolvedCall } from "./resolve-call.ts";

/** A call of which it is decided where it goes, and where else it may go. */
export interface PlannedCall extends CallWithBody {
  readonly decision: RoutingDecision;
}

/**
 * Decides where a call goes; only one that goes on from a kept response waits for the
 * database. Throws what `buildPlan` and `planMultiTargetAliasRouting` do.
 */
export function planCallRouting(
  routing: RoutingDependencies,
  { call, body, model }: ResolvedCall,
): MaybePromise<PlannedCall> {
  if (!("targets" in model)) return { call, body, decision: planModel(call, model) };
  const decision = planMultiTargetAliasRouting(routing, { call, body }, model);
  // What is written for one target must leave the bytes whole for the next.
  const shared = { ...body, isShared: true };
  return chainMaybePromise(decision, (decided) => ({ call, body: shared, decision: decided }));
}

/** A bare id may have several own vendors, in the order in which they were linked. */
function planModel(call: ModelCall, model: ResolvedModel): RoutingDecision {
  const { key, controls, surface } = call;
  const { dialect, isConversation } = surface;
  const owned = withoutOpenCircuits(surface, model.accountTargets);
  const { reference, creditsModel: sold } = model;
  const input = {
    dialect,
    isConversation,
    key,
    controls,
    reference,
    accountTargets: owned,
    creditsModel: sold,
  };
  const plan = planCallTarget(input);
  const first = { plan, pooled: undefined };
  if (plan.route !== "byo" || owned.length < 2) return { candidates: [first], skipped: none };
  const others = owned.slice(1).flatMap((target): readonly RoutingCandidate[] => {
    try {
      return [
        {
          plan: planCallTarget({ ...input, accountTargets: [target], creditsModel: undefined }),
          pooled: undefined,
        },
      ];
    } catch (error) {
      // The key may not use it, or its login has ended.
      if (!(error instanceof ApiError)) throw error;
      return none;
    }
  });
  return { candidates: [first, ...others], skipped: none };
}

/** What is never transcoded goes to who speaks its dialect; where nobody does, the first refuses it. */
function withoutOpenCircuits(
  { isConversation, dialect }: DialectOperation,
  owned: ResolvedModel["accountTargets"],
): ResolvedModel["accountTargets"] {
  const speaking = isConversation
    ? owned
    : owned.filter((target) => speaksDialectNatively(target, dialect));
  return speaking.length === 0 ? owned : speaking;
}

const none = [] as const;

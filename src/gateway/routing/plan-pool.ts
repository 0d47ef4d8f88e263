import { chainMaybePromise, type MaybePromise } from "../../platform/maybe-promise.ts";
import type { ModelCall } from "../call/model-call.ts";
import type { CallWithBody } from "../call/read-call.ts";
import type { StoredResponses } from "../stored-responses/stored-responses.ts";
import {
  orderRoutingCandidates,
  partitionRoutingTargets,
  type RoutingDecision,
  type EligibleRoutingTarget,
} from "./order-candidates.ts";
import type { ResolvedAliasPool } from "./account-targets.ts";
import type { TargetHealthMap } from "./pooled-targets.ts";
import { hashSessionToUnitInterval } from "./session-hash.ts";
import { readRoutingSessionKey } from "./session-key.ts";
import { filterTargetsWithResponse } from "./targets-with-response.ts";

/** What decisions between several targets are made with. */
export interface RoutingDependencies {
  readonly targets: TargetHealthMap;
  readonly turns: Pick<StoredResponses, "has">;
  /** Key of the hash that keeps a session to its target; the same in all processes. */
  readonly affinityKey: Buffer;
  /** From 0 up to 1. */
  readonly random: () => number;
}

/** Decides where a call of an alias with several targets goes. Throws 400 for its body. */
export function planMultiTargetAliasRouting(
  routing: RoutingDependencies,
  { call, body }: CallWithBody,
  pool: ResolvedAliasPool,
): MaybePromise<RoutingDecision> {
  const { key, controls, surface } = call;
  const { accountId } = key.principal;
  const { dialect, isConversation } = surface;
  const asked = { dialect, isConversation, key, controls };
  const targets = partitionRoutingTargets(asked, pool, (plan) =>
    routing.targets.get(accountId, plan),
  );
  const knowing = filterTargetsWithResponse(routing.turns, call, body.bytes, targets.usable);
  return chainMaybePromise(knowing, (usable) =>
    orderRoutingCandidates(
      pool.strategy,
      { ...targets, usable },
      drawOf(routing, call, body.bytes, pool),
    ),
  );
}

function drawOf(
  { affinityKey, random }: RoutingDependencies,
  call: ModelCall,
  bytes: Buffer,
  { affinity }: ResolvedAliasPool,
): (target?: EligibleRoutingTarget) => number {
  const session = affinity === "session" ? readRoutingSessionKey(call, bytes) : undefined;
  if (session === undefined) return random;
  const { accountId } = call.key.principal;
  return (target) =>
    hashSessionToUnitInterval(
      affinityKey,
      accountId,
      session,
      `${target?.plan.route} ${target?.plan.canonicalId}`,
    );
}

import { whenWarm, type Warm } from "../../platform/warm.ts";
import type { ModelCall } from "../call/model-call.ts";
import type { ReadCall } from "../call/read-call.ts";
import type { KeptTurns } from "../response/kept-turns.ts";
import {
  decideRoute,
  usableTargets,
  type RouteDecision,
  type UsableTarget,
} from "./decide-route.ts";
import type { ResolvedPool } from "./owned-targets.ts";
import type { PooledTargets } from "./pooled-targets.ts";
import { sessionDraw } from "./session-draw.ts";
import { sessionValueOf } from "./session-value.ts";
import { knowingTargets } from "./state-keepers.ts";

/** What decisions between several targets are made with. */
export interface Routing {
  readonly targets: PooledTargets;
  readonly turns: Pick<KeptTurns, "find">;
  /** Key of the hash that keeps a session to its target; the same in all processes. */
  readonly affinityKey: Buffer;
  /** From 0 up to 1. */
  readonly random: () => number;
}

/** Decides where a call of an alias with several targets goes. Throws 400 for its body. */
export function planPool(
  routing: Routing,
  { call, body }: ReadCall,
  pool: ResolvedPool,
): Warm<RouteDecision> {
  const { key, controls, surface } = call;
  const { accountId } = key.principal;
  const { dialect, isConversation } = surface;
  const asked = { dialect, isConversation, key, controls };
  const targets = usableTargets(asked, pool, (plan) => routing.targets.of(accountId, plan));
  const knowing = knowingTargets(routing.turns, call, body.bytes, targets.usable);
  return whenWarm(knowing, (usable) =>
    decideRoute(pool.strategy, { ...targets, usable }, drawOf(routing, call, body.bytes, pool)),
  );
}

function drawOf(
  { affinityKey, random }: Routing,
  call: ModelCall,
  bytes: Buffer,
  { affinity }: ResolvedPool,
): (target?: UsableTarget) => number {
  const session = affinity === "session" ? sessionValueOf(call, bytes) : undefined;
  if (session === undefined) return random;
  const { accountId } = call.key.principal;
  return (target) =>
    sessionDraw(
      affinityKey,
      accountId,
      session,
      `${target?.plan.route} ${target?.plan.canonicalId}`,
    );
}

import { asString } from "../../dialect/json.ts";
import { chainMaybePromise, type MaybePromise } from "../../platform/maybe-promise.ts";
import type { ModelCall } from "../call/model-call.ts";
import { parseSmallJsonMembers } from "../call/read-call-body.ts";
import type { StoredResponses } from "../stored-responses/stored-responses.ts";
import type { EligibleRoutingTarget } from "./order-candidates.ts";

/**
 * Of several targets those that know the response which a call goes on from: where it is
 * kept here those that are told of it, else those whose vendor keeps its own. All of
 * them where the call goes on from none, or none of them knows it.
 */
export function filterTargetsWithResponse(
  turns: Pick<StoredResponses, "has">,
  { key, surface }: ModelCall,
  bytes: Buffer,
  targets: readonly EligibleRoutingTarget[],
): MaybePromise<readonly EligibleRoutingTarget[]> {
  const id = surface.dialect === "dialect_responses" ? previousId(bytes) : undefined;
  const keepers = targets.filter(storesResponse);
  if (id === undefined || keepers.length === 0 || keepers.length === targets.length) return targets;
  return chainMaybePromise(turns.has(key.principal.accountId, id), (isKept) =>
    isKept ? targets.filter((target) => !storesResponse(target)) : keepers,
  );
}

/** Its vendor keeps what it answered itself. */
function storesResponse({ plan }: EligibleRoutingTarget): boolean {
  return plan.route === "byo" && plan.lane === "pass-through";
}

function previousId(bytes: Buffer): string | undefined {
  return asString(parseSmallJsonMembers(bytes, ["previous_response_id"])["previous_response_id"]);
}

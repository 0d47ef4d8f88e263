import { asString } from "../../dialect/json.ts";
import { whenWarm, type Warm } from "../../platform/warm.ts";
import type { ModelCall } from "../call/model-call.ts";
import { scanBody } from "../call/read-call-body.ts";
import type { KeptTurns } from "../response/kept-turns.ts";
import type { UsableTarget } from "./decide-route.ts";

/**
 * Of several targets those that know the response which a call goes on from: where it is
 * kept here those that are told of it, else those whose vendor keeps its own. All of
 * them where the call goes on from none, or none of them knows it.
 */
export function knowingTargets(
  turns: Pick<KeptTurns, "find">,
  { key, surface }: ModelCall,
  bytes: Buffer,
  targets: readonly UsableTarget[],
): Warm<readonly UsableTarget[]> {
  const id = surface.dialect === "dialect_responses" ? previousId(bytes) : undefined;
  const keepers = targets.filter(isKeeper);
  if (id === undefined || keepers.length === 0 || keepers.length === targets.length) return targets;
  return whenWarm(turns.find(key.principal.accountId, id), (kept) =>
    kept === undefined ? keepers : targets.filter((target) => !isKeeper(target)),
  );
}

/** Its vendor keeps what it answered itself. */
function isKeeper({ plan }: UsableTarget): boolean {
  return plan.route === "byo" && plan.lane === "pass-through";
}

function previousId(bytes: Buffer): string | undefined {
  const [span] = scanBody(bytes, ["previous_response_id"]);
  if (span === undefined) return undefined;
  return asString(JSON.parse(bytes.toString("utf8", span.start, span.end)));
}

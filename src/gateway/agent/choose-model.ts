import type { JsonObject } from "../../dialect/json.ts";
import type { ConversionWarning } from "../../dialect/conversion-warning.ts";
import { responsesDialectOperation } from "../../dialect/responses/index.ts";
import { ApiError } from "../../platform/errors.ts";
import type { CallerResponse } from "../call/caller-response.ts";
import type { ModelCall } from "../call/model-call.ts";
import { assertCallCanStart } from "../call/dry-run-attempt.ts";
import { scanCallBody } from "../call/read-call-body.ts";
import { isModelAllowed } from "../routing/allows-model.ts";
import { planCallOrSuggestModels } from "../routing/plan-served-call.ts";
import { planCallRouting, type PlannedCall } from "../routing/plan-call.ts";
import type { PlannedCallTarget } from "../routing/plan.ts";
import { resolveCall, type ResolvedCall } from "../routing/resolve-call.ts";
import type { AgentTurnStartDependencies } from "./agent-dependencies.ts";

/** A model that an agent's turn can run with. */
export interface AgentModelCandidate {
  /** As a caller would name it. */
  readonly id: string;
  /** Where its first call goes; undefined: an alias decides that at each call. */
  readonly plan: PlannedCallTarget | undefined;
  /** What is lost on the way there. */
  readonly warnings: readonly ConversionWarning[];
}

/** A first call as it would be made with one model. */
export interface AgentModelDryRunCall {
  readonly call: ModelCall;
  readonly response: CallerResponse;
  /** Without its model. */
  readonly body: JsonObject;
}

/**
 * The first of the models that the caller can reach and pay; undefined: none. What each was
 * refused with is added to `refusals`.
 */
export async function findReachableAgentModel(
  dependencies: AgentTurnStartDependencies,
  models: readonly string[],
  tried: AgentModelDryRunCall,
  refusals: ApiError[],
): Promise<AgentModelCandidate | undefined> {
  for (const id of models) {
    try {
      return await reach(
        dependencies,
        id,
        tried,
        planCallRouting.bind(undefined, dependencies.routing),
      );
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refusals.push(error);
    }
  }
  return undefined;
}

/** The model that the caller named itself. Rejects with what a call of it is refused with. */
export function requireReachableAgentModel(
  dependencies: AgentTurnStartDependencies,
  id: string,
  tried: AgentModelDryRunCall,
): Promise<AgentModelCandidate> {
  const { routing, usableModels } = dependencies;
  return reach(dependencies, id, tried, (call) =>
    planCallOrSuggestModels(routing, usableModels, call),
  );
}

/** Models of the account's endpoints, the oldest endpoint's first. */
export async function listAccountEndpointModelIds(
  { agents }: AgentTurnStartDependencies,
  { key }: ModelCall,
): Promise<readonly string[]> {
  const endpoints = await agents.endpoints(key.principal.accountId);
  const ids = endpoints.flatMap(({ slug, models }) =>
    (models ?? []).map((model) => `custom/${slug}/${model}`),
  );
  // One that the key may not use, or that cannot carry the call, is passed over; not a thousand.
  return ids.filter((id) => isModelAllowed(key.allowedModels, id)).slice(0, maxEndpointModels);
}

const maxEndpointModels = 8;

type PlanCall = (resolved: ResolvedCall) => PlannedCall | Promise<PlannedCall>;

async function reach(
  dependencies: AgentTurnStartDependencies,
  id: string,
  { call, response: answer, body }: AgentModelDryRunCall,
  plan: PlanCall,
): Promise<AgentModelCandidate> {
  const read = scanCallBody(Buffer.from(JSON.stringify({ ...body, model: id })));
  const { estimatedInput } = read;
  const asked = {
    ...call,
    surface: responsesDialectOperation,
    isStream: true,
    isMadeByAgent: true,
    estimatedInput,
  };
  const resolved = await resolveCall(dependencies.directories, { call: asked, body: read });
  const planned = await plan(resolved);
  const { candidates, error: refusal } = planned.decision;
  const [first] = candidates;
  if (first === undefined) throw refusal ?? new Error("A call has no route.");
  const routed = { ...planned.call, plan: first.plan };
  await assertCallCanStart(dependencies, routed, { ...planned.body, isShared: true }, answer);
  const { warnings: losses } = answer;
  return { id, plan: "targets" in resolved.model ? undefined : first.plan, warnings: losses };
}

import { ApiError, type ErrorCode } from "../../platform/errors.ts";
import { isModelAllowed } from "../routing/allows-model.ts";
import type { ResolvedModel, ResolvedAliasPool } from "../routing/account-targets.ts";
import {
  buildModelEntryDefaults,
  getModelUnavailableError,
  type GatewayModelEntry,
  type ModelListSources,
} from "./model-entry.ts";

/** The engines that each agent model tries, in the order that needs the least. */
const enginesOfAgents = [
  { id: "agent", engines: ["fast", "omni"] },
  { id: "agent-omni", engines: ["omni"] },
  { id: "agent-fast", engines: ["fast"] },
] as const;

/** The agent models: each is available where one of the models that it tries is. */
export function buildAgentModelEntries(
  sources: ModelListSources,
): Promise<readonly GatewayModelEntry[]> {
  return Promise.all(
    enginesOfAgents.map(async ({ id, engines }) => {
      const models = engines.flatMap((engine) => sources.engines[engine].models);
      const reason = await refusalOfAgent(sources, id, models);
      const isAutomatic = id === "agent";
      return {
        ...buildModelEntryDefaults(id),
        ownedBy: "causeway",
        lane: "agent",
        reason,
        isAutomatic,
      };
    }),
  );
}

async function refusalOfAgent(
  sources: ModelListSources,
  id: string,
  models: readonly string[],
): Promise<ErrorCode | undefined> {
  const { key, endpoints } = sources;
  if (!key.principal.scopes.has("gateway:invoke")) return "insufficient_scope";
  if (!isModelAllowed(key.allowedModels, id)) return "model_not_allowed";
  const own = endpoints.flatMap(({ slug, models: ids }) =>
    ids.map((model) => `custom/${slug}/${model}`),
  );
  const refusals = new Set<ErrorCode>();
  for (const model of [...models, ...own]) {
    const refusal = await refusalOfModel(sources, model);
    if (refusal === undefined) return undefined;
    refusals.add(refusal);
  }
  return worst.find((code) => refusals.has(code)) ?? "no_vendor_credential";
}

/** Of several refusals the one that a call is told. */
const worst: readonly ErrorCode[] = ["byo_url", "model_not_allowed"];

/** Of several targets of an alias one is enough. */
async function refusalOfModel(
  sources: ModelListSources,
  id: string,
): Promise<ErrorCode | undefined> {
  const models = await modelsNamed(sources, id);
  const refusals = models.map((model) =>
    model instanceof ApiError
      ? model.code
      : getModelUnavailableError(sources, model.reference, model.accountTargets),
  );
  return refusals.includes(undefined) ? undefined : refusals[0];
}

async function modelsNamed(
  sources: ModelListSources,
  id: string,
): Promise<readonly (ResolvedModel | ApiError)[]> {
  try {
    const resolved: ResolvedModel | ResolvedAliasPool = await sources.resolve(id);
    return "targets" in resolved ? resolved.targets.map(({ model }) => model) : [resolved];
  } catch (error) {
    if (error instanceof ApiError) return [error];
    throw error;
  }
}

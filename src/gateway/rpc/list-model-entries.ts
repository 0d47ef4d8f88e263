import type { CallableCustomEndpoint } from "../../domain/callable-endpoint.ts";
import type { CreditsCatalogEntry } from "../../platform/configuration/credits.ts";
import { mapWithPauses } from "../../platform/map-with-pauses.ts";
import { recordToMap } from "../../platform/lookup-table.ts";
import { requireFirstTargetModel } from "../routing/account-targets.ts";
import type { CallableUpstream } from "../routing/plan.ts";
import { buildAgentModelEntries } from "./agent-entry.ts";
import {
  buildModelEntryDefaults,
  getModelUnavailableError,
  millisecondsToUnixSeconds,
  type GatewayModelEntry,
  type ModelListSources,
} from "./model-entry.ts";
import {
  buildBareIdModelEntries,
  listLinkedModels,
  buildVendorModelEntry,
} from "./linked-models.ts";

/**
 * Everything that a key can name, in this order: the agent's models, those of linked
 * vendors, and by their bare ids those of them that a call would reach so, those of custom
 * endpoints, the credits catalogue. Whether a model is available is what the plan of a call
 * with this key says, and where that leads to credits whether anything is left to pay with.
 */
export async function buildModelEntries(
  sources: ModelListSources,
): Promise<readonly GatewayModelEntry[]> {
  const offered = await listLinkedModels(sources);
  const ofCatalogue = await Promise.all(
    sources.catalog.map((entry) => catalogEntry(sources, entry)),
  );
  const ofEndpoints = [];
  for (const endpoint of sources.endpoints)
    ofEndpoints.push(await endpointEntries(sources, endpoint));
  return [
    ...(await buildAgentModelEntries(sources)),
    ...offered.map((offer) => buildVendorModelEntry(sources, offer)),
    ...buildBareIdModelEntries(sources, offered),
    ...ofEndpoints.flat(),
    ...ofCatalogue,
  ];
}

function endpointEntries(
  sources: ModelListSources,
  endpoint: CallableCustomEndpoint,
): Promise<readonly GatewayModelEntry[]> {
  const { slug, models } = endpoint;
  const owned: CallableUpstream[] = [{ kind: "custom", endpoint }];
  const names = recordToMap(endpoint.modelNames);
  const limits = recordToMap(endpoint.modelMeta);
  const times = recordToMap(endpoint.modelCreated);
  // Each id is matched with each pattern of the key.
  const patterns = Math.max(1, sources.key.allowedModels.length);
  const matchedBytes = (model: string) => model.length * patterns;
  return mapWithPauses(models, matchedBytes, (model) => {
    const id = `custom/${slug}/${model}`;
    return {
      ...buildModelEntryDefaults(id),
      displayName: names.get(model) ?? id,
      created: times.get(model) ?? millisecondsToUnixSeconds(endpoint.createdAt),
      ownedBy: slug,
      lane: "custom",
      contextWindow: limits.get(model)?.contextWindow,
      reason: getModelUnavailableError(sources, { kind: "custom", slug, model }, owned),
    };
  });
}

async function catalogEntry(
  sources: ModelListSources,
  { id, vendor, tier, contextWindow }: CreditsCatalogEntry,
): Promise<GatewayModelEntry> {
  const { accountTargets: owned } = requireFirstTargetModel(await sources.resolve(id));
  const reason = getModelUnavailableError(sources, { kind: "bare", model: id }, owned);
  return {
    ...buildModelEntryDefaults(id),
    ownedBy: vendor,
    lane: "credits",
    tier,
    contextWindow,
    reason,
  };
}

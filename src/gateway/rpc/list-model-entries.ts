import type { CallableEndpoint } from "../../domain/callable-endpoint.ts";
import type { CatalogEntry } from "../../platform/configuration/credits.ts";
import { lookupTable } from "../../platform/lookup-table.ts";
import { firstResolvedModel } from "../routing/account-targets.ts";
import type { AccountTarget } from "../routing/plan.ts";
import { agentEntries } from "./agent-entry.ts";
import {
  plainEntry,
  modelUnavailableReason,
  toUnixSeconds,
  type ModelEntry,
  type ModelSources,
} from "./model-entry.ts";
import { bareEntries, listLinkedModels, vendorEntry } from "./linked-models.ts";

/**
 * Everything that a key can name, in this order: the agent's models, those of linked
 * vendors, and by their bare ids those of them that a call would reach so, those of custom
 * endpoints, the credits catalogue. Whether a model is available is what the plan of a call
 * with this key says, and where that leads to credits whether anything is left to pay with.
 */
export async function listModelEntries(sources: ModelSources): Promise<readonly ModelEntry[]> {
  const offered = await listLinkedModels(sources);
  const ofCatalogue = await Promise.all(
    sources.catalog.map((entry) => catalogEntry(sources, entry)),
  );
  return [
    ...(await agentEntries(sources)),
    ...offered.map((offer) => vendorEntry(sources, offer)),
    ...bareEntries(sources, offered),
    ...sources.endpoints.flatMap((endpoint) => endpointEntries(sources, endpoint)),
    ...ofCatalogue,
  ];
}

function endpointEntries(sources: ModelSources, endpoint: CallableEndpoint): readonly ModelEntry[] {
  const { slug, models } = endpoint;
  const owned: AccountTarget[] = [{ kind: "custom", endpoint }];
  const names = lookupTable(endpoint.modelNames);
  const limits = lookupTable(endpoint.modelMeta);
  const times = lookupTable(endpoint.modelCreated);
  return models.map((model) => {
    const id = `custom/${slug}/${model}`;
    return {
      ...plainEntry(id),
      displayName: names.get(model) ?? id,
      created: times.get(model) ?? toUnixSeconds(endpoint.createdAt),
      ownedBy: slug,
      lane: "custom",
      contextWindow: limits.get(model)?.contextWindow,
      reason: modelUnavailableReason(sources, { kind: "custom", slug, model }, owned),
    };
  });
}

async function catalogEntry(
  sources: ModelSources,
  { id, vendor, tier, contextWindow }: CatalogEntry,
): Promise<ModelEntry> {
  const { accountTargets: owned } = firstResolvedModel(await sources.resolve(id));
  const reason = modelUnavailableReason(sources, { kind: "bare", model: id }, owned);
  return { ...plainEntry(id), ownedBy: vendor, lane: "credits", tier, contextWindow, reason };
}

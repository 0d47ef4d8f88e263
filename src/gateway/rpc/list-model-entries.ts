import type { CallableEndpoint } from "../../kernel/callable-endpoint.ts";
import type { CatalogueModel } from "../../platform/configuration/credits.ts";
import { lookupTable } from "../../platform/lookup-table.ts";
import { firstModelOf } from "../routing/owned-targets.ts";
import type { OwnTarget } from "../routing/plan.ts";
import { agentEntries } from "./agent-entry.ts";
import {
  plainEntry,
  modelRefusal,
  secondsOf,
  type ModelEntry,
  type ModelSources,
} from "./model-entry.ts";
import { bareEntries, offeredModels, vendorEntry } from "./offered-models.ts";

/**
 * Everything that a key can name, in this order: the agent's models, those of linked
 * vendors, and by their bare ids those of them that a call would reach so, those of custom
 * endpoints, the credits catalogue. Whether a model is available is what the plan of a call
 * with this key says, and where that leads to credits whether anything is left to pay with.
 */
export async function listModelEntries(sources: ModelSources): Promise<readonly ModelEntry[]> {
  const offered = await offeredModels(sources);
  const ofCatalogue = await Promise.all(
    sources.catalogue.map((entry) => catalogueEntry(sources, entry)),
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
  const owned: OwnTarget[] = [{ kind: "custom", endpoint }];
  const names = lookupTable(endpoint.modelNames);
  const limits = lookupTable(endpoint.modelMeta);
  const times = lookupTable(endpoint.modelCreated);
  return models.map((model) => {
    const id = `custom/${slug}/${model}`;
    return {
      ...plainEntry(id),
      displayName: names.get(model) ?? id,
      created: times.get(model) ?? secondsOf(endpoint.createdAt),
      ownedBy: slug,
      lane: "custom",
      contextWindow: limits.get(model)?.contextWindow,
      reason: modelRefusal(sources, { kind: "custom", slug, model }, owned),
    };
  });
}

async function catalogueEntry(
  sources: ModelSources,
  { id, vendor, tier, contextWindow }: CatalogueModel,
): Promise<ModelEntry> {
  const { owned } = firstModelOf(await sources.resolve(id));
  const reason = modelRefusal(sources, { kind: "bare", model: id }, owned);
  return { ...plainEntry(id), ownedBy: vendor, lane: "credits", tier, contextWindow, reason };
}

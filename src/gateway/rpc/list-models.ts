import type { CatalogueModel } from "../../platform/configuration/credits.ts";
import { ApiError, type ErrorCode } from "../../platform/errors.ts";
import type { ListedModel } from "../../platform/endpoint/model-list.ts";
import type { ControlHeaders } from "../admission/control-headers.ts";
import { makePlan, type OwnTarget } from "../routing/plan.ts";
import type { CallableEndpoint } from "../../kernel/callable-endpoint.ts";
import type { CallableVendor } from "../../kernel/callable-vendor.ts";
import type { CallerKey } from "../../kernel/caller-key.ts";
import type { SoldModel } from "../../kernel/sold-model.ts";
import type { Warm } from "../../platform/warm.ts";
import type { NamedReference } from "../routing/model-reference.ts";

/** Over what a model is reached (contract section 6, Model `lane`). */
export type ModelLane = "agent" | "byo" | "custom" | "credits";

/** An entry of the model list. */
export interface ModelEntry {
  readonly id: string;
  /** Vendor id, slug of an endpoint, or `causeway`. */
  readonly ownedBy: string;
  readonly lane: ModelLane;
  readonly tier: string | undefined;
  /** The code that a call would get now; undefined: it would be let through. */
  readonly reason: ErrorCode | undefined;
  /** The server picks the model that answers. */
  readonly isAutomatic: boolean;
  /** Tokens. */
  readonly contextWindow: number | undefined;
}

/** What the list is made from. */
export interface ModelSources {
  readonly key: Pick<CallerKey, "principal" | "route" | "mode" | "allowedModels">;
  readonly vendors: readonly CallableVendor[];
  readonly endpoints: readonly CallableEndpoint[];
  readonly catalogue: readonly CatalogueModel[];
  readonly modelsOf: (vendor: CallableVendor) => Warm<readonly ListedModel[]>;
  /** What a call on credits is refused with now: the wallet or the key's budget is spent. */
  readonly creditRefusal: ErrorCode | undefined;
  /** What the credits catalogue has for a reference. */
  readonly soldFor: (reference: NamedReference) => SoldModel | undefined;
  /** What of the account's own serves a bare id. */
  readonly ownersOf: (model: string) => Promise<readonly OwnTarget[]>;
}

const agentModels = ["agent", "agent-omni", "agent-fast"];

const noControls: ControlHeaders = {
  route: undefined,
  mode: undefined,
  engine: undefined,
  session: undefined,
  tags: undefined,
  isStrict: false,
};

/**
 * Everything that a key can name, in the seed's order: the agent's models, those
 * of linked vendors, those of custom endpoints, the credits catalogue. Whether a
 * model is available is what the plan of a call with this key says, and where that
 * leads to credits whether anything is left to pay with.
 */
export async function listModels(sources: ModelSources): Promise<readonly ModelEntry[]> {
  const ofVendors = await Promise.all(
    sources.vendors.map(async (vendor) =>
      vendorEntries(sources, vendor, await sources.modelsOf(vendor)),
    ),
  );
  const ofCatalogue = await Promise.all(
    sources.catalogue.map((entry) => catalogueEntry(sources, entry)),
  );
  return [
    ...agentModels.map((id) => agentEntry(sources, id)),
    ...ofVendors.flat(),
    ...sources.endpoints.flatMap((endpoint) => endpointEntries(sources, endpoint)),
    ...ofCatalogue,
  ];
}

function agentEntry(sources: ModelSources, id: string): ModelEntry {
  const reason = refusalOf(sources, { kind: "agent", id }, []);
  const isAutomatic = id === "agent";
  return { ...bare, id, ownedBy: "causeway", lane: "agent", reason, isAutomatic };
}

const bare = { tier: undefined, isAutomatic: false, contextWindow: undefined };

function vendorEntries(
  sources: ModelSources,
  vendor: CallableVendor,
  models: readonly ListedModel[],
): readonly ModelEntry[] {
  const owned: OwnTarget[] = [{ kind: "vendor", vendor }];
  return models.map(({ id: model, contextWindow }) => ({
    ...bare,
    id: `${vendor.id}/${model}`,
    ownedBy: vendor.id,
    lane: "byo",
    contextWindow,
    reason: refusalOf(sources, { kind: "vendor", vendor: vendor.id, model }, owned),
  }));
}

function endpointEntries(sources: ModelSources, endpoint: CallableEndpoint): readonly ModelEntry[] {
  const { slug, models, modelMeta } = endpoint;
  const owned: OwnTarget[] = [{ kind: "custom", endpoint }];
  return models.map((model) => ({
    ...bare,
    id: `custom/${slug}/${model}`,
    ownedBy: slug,
    lane: "custom",
    contextWindow: modelMeta[model]?.contextWindow,
    reason: refusalOf(sources, { kind: "custom", slug, model }, owned),
  }));
}

async function catalogueEntry(
  sources: ModelSources,
  { id, vendor, tier, contextWindow }: CatalogueModel,
): Promise<ModelEntry> {
  const owned = await sources.ownersOf(id);
  const reason = refusalOf(sources, { kind: "bare", model: id }, owned);
  return { ...bare, id, ownedBy: vendor, lane: "credits", tier, contextWindow, reason };
}

function refusalOf(
  { key, soldFor, creditRefusal }: ModelSources,
  reference: NamedReference,
  owned: readonly OwnTarget[],
): ErrorCode | undefined {
  if (!key.principal.scopes.has("gateway:invoke")) return "insufficient_scope";
  try {
    const sold = soldFor(reference);
    const input = {
      dialect: "dialect_chat",
      key,
      controls: noControls,
      reference,
      owned,
      sold,
    } as const;
    return makePlan(input).route === "credits" ? creditRefusal : undefined;
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
}

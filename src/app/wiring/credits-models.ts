import type { CreditsModelCatalog } from "../../gateway/ports.ts";
import type { CallableVendor } from "../../domain/callable-vendor.ts";
import type { CreditsCatalogModel } from "../../domain/credits-model.ts";
import type {
  CreditsCatalogEntry,
  CreditsConfiguration,
} from "../../platform/configuration/credits.ts";
import { Secret } from "../../platform/crypto/secret.ts";
import { normalizeEndpointBaseUrl } from "../../platform/endpoint/base-address.ts";
import type { Vendor, VendorCatalog } from "../../model-vendor/vendor-catalog.ts";

/**
 * What the operator sells: the entries of the credits catalogue whose vendor is
 * known and has a key of the operator's. The others are listed and refused.
 */
export function buildOperatorKeyModelCatalog(
  { keys, catalog: catalogue }: CreditsConfiguration,
  vendors: VendorCatalog,
): CreditsModelCatalog {
  const targets = new Map<string, CallableVendor>();
  for (const [id, key] of Object.entries(keys)) {
    const vendor = vendors.find(id);
    if (vendor !== undefined) targets.set(id, operatorTarget(vendor, key));
  }
  const sold = catalogue.flatMap((entry) => {
    const vendor = targets.get(entry.vendor);
    return vendor === undefined ? [] : [creditsModel(entry, vendor)];
  });
  const byId = new Map(sold.map((model) => [model.id, model]));
  // Of several entries for one model the first is meant by `<vendor>/<model>`.
  const byVendor = new Map(
    sold.toReversed().map((model) => [`${model.vendor.id}/${model.model}`, model]),
  );
  return {
    findById: (id) => byId.get(id),
    byVendor: (vendor, model) => byVendor.get(`${vendor}/${model}`),
  };
}

/** Entries of the credits catalogue that nobody can call, each with the reason. */
export function findUncallableCreditsEntries(
  { keys, catalog: catalogue }: CreditsConfiguration,
  vendors: VendorCatalog,
): readonly { readonly entry: string; readonly reason: string }[] {
  return catalogue.flatMap(({ id: entry, vendor }) => {
    if (!vendors.has(vendor)) return [{ entry, reason: `there is no vendor ${vendor}` }];
    if (!Object.hasOwn(keys, vendor)) return [{ entry, reason: `credits.keys has no ${vendor}` }];
    return [];
  });
}

/** The vendor with the operator's key; the object stays the same, as dials want it. */
function operatorTarget(vendor: Vendor, key: string): CallableVendor {
  return {
    id: vendor.id,
    accountId: "operator",
    label: vendor.label,
    dialects: vendor.dialects,
    baseUrl: normalizeEndpointBaseUrl(vendor.baseUrl),
    auth: vendor.auth,
    token: new Secret(key),
    headers: {},
    poolKey: `operator:${vendor.id}`,
    models: vendor.models,
    belongsToOperator: true,
    ...(vendor.isFirstParty === true && { isFirstParty: true }),
  };
}

function creditsModel(entry: CreditsCatalogEntry, vendor: CallableVendor): CreditsCatalogModel {
  const { id, model, maxOutputTokens, price } = entry;
  return { id, model, vendor, maxOutputTokens, price };
}

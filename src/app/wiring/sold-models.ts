import type { CreditsCatalogue } from "../../gateway/ports.ts";
import type { CallableVendor } from "../../kernel/callable-vendor.ts";
import type { SoldModel } from "../../kernel/sold-model.ts";
import type { CatalogueModel, Credits } from "../../platform/configuration/credits.ts";
import { Secret } from "../../platform/crypto/secret.ts";
import { callableAddress } from "../../platform/endpoint/base-address.ts";
import type { Vendor, VendorCatalogue } from "../../vendor/vendor-catalogue.ts";

/**
 * What the operator sells: the entries of the credits catalogue whose vendor is
 * known and has a key of the operator's. The others are listed and refused.
 */
export function soldModels(
  { keys, catalogue }: Credits,
  vendors: VendorCatalogue,
): CreditsCatalogue {
  const targets = new Map<string, CallableVendor>();
  for (const [id, key] of Object.entries(keys)) {
    const vendor = vendors.find(id);
    if (vendor !== undefined) targets.set(id, operatorTarget(vendor, key));
  }
  const sold = catalogue.flatMap((entry) => {
    const vendor = targets.get(entry.vendor);
    return vendor === undefined ? [] : [soldModel(entry, vendor)];
  });
  const byId = new Map(sold.map((model) => [model.id, model]));
  // Of several entries for one model the first is meant by `<vendor>/<model>`.
  const byVendor = new Map(
    sold.toReversed().map((model) => [`${model.vendor.id}/${model.model}`, model]),
  );
  return {
    byId: (id) => byId.get(id),
    byVendor: (vendor, model) => byVendor.get(`${vendor}/${model}`),
  };
}

/** Entries of the credits catalogue that nobody can call, each with the reason. */
export function unsoldEntries(
  { keys, catalogue }: Credits,
  vendors: VendorCatalogue,
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
    baseUrl: callableAddress(vendor.baseUrl),
    auth: vendor.auth,
    token: new Secret(key),
    headers: {},
    poolKey: `operator:${vendor.id}`,
    models: vendor.models,
    isOperators: true,
    ...(vendor.isFirstParty === true && { isFirstParty: true }),
  };
}

function soldModel(entry: CatalogueModel, vendor: CallableVendor): SoldModel {
  const { id, model, maxOutputTokens, price } = entry;
  return { id, model, vendor, maxOutputTokens, price };
}

import type { ModelRpcDependencies } from "../../gateway/rpc/model.rpc.ts";
import type { ModelResolutionLookups } from "../../gateway/routing/account-targets.ts";
import { buildOperatorKeyModelCatalog } from "./credits-models.ts";
import type { Configuration } from "../../platform/configuration/configuration.ts";
import type { AccountModule } from "./wire-accounts.ts";
import type { AliasModule } from "./wire-aliases.ts";
import type { UpstreamModule } from "./wire-endpoints.ts";
import type { WalletModule } from "./wire-wallets.ts";

export interface RoutingLookupsDependencies {
  readonly accounts: AccountModule;
  readonly endpoints: UpstreamModule;
  readonly aliases: AliasModule;
  readonly wallets: Pick<WalletModule, "paymentErrorOf">;
}

/** Where model ids are looked up. */
export function createModelResolutionLookups(
  { credits }: Configuration,
  { endpoints, aliases }: Pick<RoutingLookupsDependencies, "endpoints" | "aliases">,
): ModelResolutionLookups {
  return {
    upstreams: endpoints.upstreams,
    vendors: endpoints.vendors,
    aliases: aliases.directory,
    catalog: buildOperatorKeyModelCatalog(credits, endpoints.catalog),
    modelIds: (vendor) => endpoints.vendorModels.idsOf(vendor),
  };
}

/** The same for those who may ask no vendor: a list that was never read is empty. */
export function createCacheOnlyRoutingLookups(
  directories: ModelResolutionLookups,
  { vendorModels }: UpstreamModule,
): ModelResolutionLookups {
  return { ...directories, modelIds: (vendor) => vendorModels.cachedIdsOf(vendor) };
}

/** What the model list is read from. */
export function createModelRpcDependencies(
  { credits, agents }: Configuration,
  { accounts, endpoints, wallets }: RoutingLookupsDependencies,
  directories: ModelResolutionLookups,
): ModelRpcDependencies {
  return {
    authenticator: accounts.authenticator,
    directories,
    endpoints: (accountId) => endpoints.upstreams.list(accountId),
    modelsOf: (vendor) => endpoints.vendorModels.of(vendor),
    catalog: credits.catalog,
    engines: agents,
    creditRefusal: ({ principal: { accountId, keyId }, budget }) =>
      wallets.paymentErrorOf({ accountId, keyId, budget }),
  };
}

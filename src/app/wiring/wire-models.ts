import type { ModelRpcDependencies } from "../../gateway/rpc/model.rpc.ts";
import type { RoutingDirectories } from "../../gateway/routing/account-targets.ts";
import { buildCreditsCatalog } from "./credits-models.ts";
import type { Configuration } from "../../platform/configuration/configuration.ts";
import type { AccountWiring } from "./wire-accounts.ts";
import type { AliasWiring } from "./wire-aliases.ts";
import type { UpstreamWiring } from "./wire-endpoints.ts";
import type { WalletWiring } from "./wire-wallets.ts";

export interface ModelListWiringDependencies {
  readonly accounts: AccountWiring;
  readonly endpoints: UpstreamWiring;
  readonly aliases: AliasWiring;
  readonly wallets: Pick<WalletWiring, "paymentErrorOf">;
}

/** Where model ids are looked up. */
export function createRoutingDirectories(
  { credits }: Configuration,
  { endpoints, aliases }: Pick<ModelListWiringDependencies, "endpoints" | "aliases">,
): RoutingDirectories {
  return {
    upstreams: endpoints.upstreams,
    vendors: endpoints.vendors,
    aliases: aliases.directory,
    catalog: buildCreditsCatalog(credits, endpoints.catalog),
    modelIds: (vendor) => endpoints.vendorModels.idsOf(vendor),
  };
}

/** The same for those who may ask no vendor: a list that was never read is empty. */
export function createCacheOnlyRoutingDirectories(
  directories: RoutingDirectories,
  { vendorModels }: UpstreamWiring,
): RoutingDirectories {
  return { ...directories, modelIds: (vendor) => vendorModels.cachedIdsOf(vendor) };
}

/** What the model list is read from. */
export function createModelRpcDependencies(
  { credits, agents }: Configuration,
  { accounts, endpoints, wallets }: ModelListWiringDependencies,
  directories: RoutingDirectories,
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

import type { ModelRpcDependencies } from "../../gateway/rpc/model.rpc.ts";
import type { Directories } from "../../gateway/routing/owned-targets.ts";
import { soldModels } from "./sold-models.ts";
import type { Configuration } from "../../platform/configuration/configuration.ts";
import type { AccountWiring } from "./wire-accounts.ts";
import type { AliasWiring } from "./wire-aliases.ts";
import type { EndpointWiring } from "./wire-endpoints.ts";
import type { WalletWiring } from "./wire-wallets.ts";

export interface ModelWiringDependencies {
  readonly accounts: AccountWiring;
  readonly endpoints: EndpointWiring;
  readonly aliases: AliasWiring;
  readonly wallets: Pick<WalletWiring, "refusalOf">;
}

/** Where model ids are looked up. */
export function directoriesOf(
  { credits }: Configuration,
  { endpoints, aliases }: Pick<ModelWiringDependencies, "endpoints" | "aliases">,
): Directories {
  return {
    upstreams: endpoints.upstreams,
    vendors: endpoints.vendors,
    aliases: aliases.directory,
    catalogue: soldModels(credits, endpoints.catalogue),
    modelIds: (vendor) => endpoints.vendorModels.idsOf(vendor),
  };
}

/** The same for those who may ask no vendor: a list that was never read is empty. */
export function quietDirectories(
  directories: Directories,
  { vendorModels }: EndpointWiring,
): Directories {
  return { ...directories, modelIds: (vendor) => vendorModels.knownIdsOf(vendor) };
}

/** What the model list is read from. */
export function modelDependencies(
  { credits, agents }: Configuration,
  { accounts, endpoints, wallets }: ModelWiringDependencies,
  directories: Directories,
): ModelRpcDependencies {
  return {
    authenticator: accounts.authenticator,
    directories,
    endpoints: (accountId) => endpoints.upstreams.list(accountId),
    modelsOf: (vendor) => endpoints.vendorModels.of(vendor),
    catalogue: credits.catalogue,
    engines: agents,
    creditRefusal: ({ principal: { accountId, keyId }, budget }) =>
      wallets.refusalOf({ accountId, keyId, budget }),
  };
}

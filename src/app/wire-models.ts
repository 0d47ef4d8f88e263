import type { ModelPorts } from "../gateway/model.rpc.ts";
import type { Directories } from "../gateway/owned-targets.ts";
import { soldModels } from "./sold-models.ts";
import type { Configuration } from "../platform/configuration/configuration.ts";
import type { AccountWiring } from "./wire-accounts.ts";
import type { AliasWiring } from "./wire-aliases.ts";
import type { EndpointWiring } from "./wire-endpoints.ts";

export interface ModelParts {
  readonly accounts: AccountWiring;
  readonly endpoints: EndpointWiring;
  readonly aliases: AliasWiring;
}

/** Where model ids are looked up. */
export function directoriesOf(
  { credits }: Configuration,
  { endpoints, aliases }: Omit<ModelParts, "accounts">,
): Directories {
  return {
    upstreams: endpoints.upstreams,
    vendors: endpoints.vendors,
    aliases: aliases.directory,
    catalogue: soldModels(credits, endpoints.catalogue),
    modelIds: (vendor) => endpoints.vendorModels.idsOf(vendor),
  };
}

/** What the model list is read from. */
export function modelPorts(
  { credits }: Configuration,
  { accounts, endpoints }: ModelParts,
  directories: Directories,
): ModelPorts {
  return {
    authenticator: accounts.authenticator,
    directories,
    endpoints: (accountId) => endpoints.upstreams.list(accountId),
    modelsOf: (vendor) => endpoints.vendorModels.of(vendor),
    catalogue: credits.catalogue,
  };
}

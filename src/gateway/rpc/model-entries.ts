import type { CallableEndpoint } from "../../kernel/callable-endpoint.ts";
import type { CallableVendor } from "../../kernel/callable-vendor.ts";
import type { CallerKey } from "../../kernel/caller-key.ts";
import type { AgentsConfiguration } from "../../platform/configuration/agents.ts";
import type { CatalogueModel } from "../../platform/configuration/credits.ts";
import type { ErrorCode } from "../../platform/errors.ts";
import type { ListedModel } from "../../platform/endpoint/model-list.ts";
import type { Warm } from "../../platform/warm.ts";
import { soldModel, type Directories } from "../routing/owned-targets.ts";
import { resolveModel } from "../routing/resolve-model.ts";
import { listModelEntries } from "./list-model-entries.ts";
import type { ModelEntry } from "./model-entry.ts";

/** What the model list is read from. */
export interface ModelDependencies {
  readonly directories: Directories;
  /** The account's endpoints, oldest first. */
  readonly endpoints: (accountId: string) => Warm<readonly CallableEndpoint[]>;
  readonly modelsOf: (vendor: CallableVendor) => Warm<readonly ListedModel[]>;
  readonly catalogue: readonly CatalogueModel[];
  /** What agents think with. */
  readonly engines: AgentsConfiguration;
  /** What a call that this key would pay for is refused with now; one statement. */
  readonly creditRefusal: (key: CallerKey) => Promise<ErrorCode | undefined>;
}

/** Everything that a key can name; one statement where anything is sold. */
export async function modelEntries(
  dependencies: ModelDependencies,
  key: CallerKey,
): Promise<readonly ModelEntry[]> {
  const { accountId } = key.principal;
  const { directories, endpoints, modelsOf, catalogue, creditRefusal, engines } = dependencies;
  return listModelEntries({
    key,
    vendors: await directories.vendors.linked(accountId),
    endpoints: await endpoints(accountId),
    catalogue,
    isVendor: (segment) => directories.vendors.has(segment),
    modelsOf,
    creditRefusal: catalogue.length === 0 ? undefined : await creditRefusal(key),
    soldFor: (reference) => soldModel(directories, reference),
    resolve: async (id) => resolveModel(directories, accountId, id),
    engines,
  });
}

/** Ids of the models of that list which a call would be let through to now. */
export async function usableModels(
  dependencies: ModelDependencies,
  key: CallerKey,
): Promise<readonly string[]> {
  const entries = await modelEntries(dependencies, key);
  return entries.filter(({ reason }) => reason === undefined).map(({ id }) => id);
}

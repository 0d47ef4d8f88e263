import type { CallableCustomEndpoint } from "../../domain/callable-endpoint.ts";
import type { CallableVendor } from "../../domain/callable-vendor.ts";
import type { CallerKey } from "../../domain/caller-key.ts";
import type { AgentsConfiguration } from "../../platform/configuration/agents.ts";
import type { CreditsCatalogEntry } from "../../platform/configuration/credits.ts";
import type { ErrorCode } from "../../platform/errors.ts";
import type { UpstreamListedModel } from "../../platform/endpoint/model-list.ts";
import type { MaybePromise } from "../../platform/maybe-promise.ts";
import {
  findCreditsModelByReference,
  type ModelResolutionLookups,
} from "../routing/account-targets.ts";
import { resolveModelId } from "../routing/resolve-model.ts";
import { buildModelEntries } from "./list-model-entries.ts";
import type { GatewayModelEntry } from "./model-entry.ts";

/** What the model list is read from. */
export interface ModelListDependencies {
  readonly directories: ModelResolutionLookups;
  /** The account's endpoints, oldest first. */
  readonly endpoints: (accountId: string) => MaybePromise<readonly CallableCustomEndpoint[]>;
  readonly modelsOf: (vendor: CallableVendor) => MaybePromise<readonly UpstreamListedModel[]>;
  readonly catalog: readonly CreditsCatalogEntry[];
  /** What agents think with. */
  readonly engines: AgentsConfiguration;
  /** What a call that this key would pay for is refused with now; one statement. */
  readonly creditRefusal: (key: CallerKey) => Promise<ErrorCode | undefined>;
}

/** Everything that a key can name; one statement where anything is sold. */
export async function loadModelEntries(
  dependencies: ModelListDependencies,
  key: CallerKey,
): Promise<readonly GatewayModelEntry[]> {
  const { accountId } = key.principal;
  const {
    directories,
    endpoints,
    modelsOf,
    catalog: catalogue,
    creditRefusal,
    engines,
  } = dependencies;
  return buildModelEntries({
    key,
    vendors: await directories.vendors.linked(accountId),
    endpoints: await endpoints(accountId),
    catalog: catalogue,
    isVendor: (segment) => directories.vendors.has(segment),
    modelsOf,
    creditsError: catalogue.length === 0 ? undefined : await creditRefusal(key),
    creditsModelFor: (reference) => findCreditsModelByReference(directories, reference),
    resolve: async (id) => resolveModelId(directories, accountId, id),
    engines,
  });
}

/** Ids of the models of that list which a call would be let through to now. */
export async function listUsableModelIds(
  dependencies: ModelListDependencies,
  key: CallerKey,
): Promise<readonly string[]> {
  const entries = await loadModelEntries(dependencies, key);
  return entries.filter(({ reason }) => reason === undefined).map(({ id }) => id);
}

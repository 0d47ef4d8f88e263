import type { DirectModelReference } from "./model-reference.ts";
import type { CallableUpstream } from "./plan.ts";
import type {
  AliasLookup,
  CreditsModelCatalog,
  CustomEndpointLookup,
  LinkedVendorLookup,
} from "../ports.ts";
import type { AliasAffinity, AliasStrategy, AliasTarget } from "../../domain/alias-target.ts";
import { ApiError } from "../../platform/errors.ts";
import type { CallableVendor } from "../../domain/callable-vendor.ts";
import type { CreditsCatalogModel } from "../../domain/credits-model.ts";
import type { MaybePromise } from "../../platform/maybe-promise.ts";
import { chainMaybePromise } from "../../platform/maybe-promise.ts";

/** Where the account's own endpoints, credentials and aliases are looked up. */
export interface ModelResolutionLookups {
  readonly upstreams: CustomEndpointLookup;
  readonly vendors: LinkedVendorLookup;
  readonly aliases: AliasLookup;
  readonly catalog: CreditsModelCatalog;
  /** The ids that a linked vendor serves, configured or discovered; for bare ids and aliases. */
  readonly modelIds: (vendor: CallableVendor) => MaybePromise<readonly string[]>;
}

/** What a model id names, and what of the account's own serves it. */
export interface ResolvedModel {
  /** Aliases are resolved: it is what they stand for. */
  readonly reference: DirectModelReference;
  /** In order of preference. */
  readonly accountTargets: readonly CallableUpstream[];
  /** What the credits catalogue has for it. */
  readonly creditsModel: CreditsCatalogModel | undefined;
}

/** One of several models that an alias stands for. */
export interface ResolvedAliasTarget {
  readonly target: AliasTarget;
  /** The refusal of a model that is not known now. */
  readonly model: ResolvedModel | ApiError;
}

/** What an alias of several targets stands for. */
export interface ResolvedAliasPool {
  readonly targets: readonly [ResolvedAliasTarget, ...ResolvedAliasTarget[]];
  readonly strategy: AliasStrategy;
  readonly affinity: AliasAffinity;
}

/** Of several models the one that is named first. Throws its refusal where it is not known now. */
export function requireFirstTargetModel(
  resolved: ResolvedModel | ResolvedAliasPool,
): ResolvedModel {
  if (!("targets" in resolved)) return resolved;
  const { model } = resolved.targets[0];
  if (model instanceof ApiError) throw model;
  return model;
}

/** What of the account's own serves what a reference names. */
export function resolveDirectModelReference(
  directories: ModelResolutionLookups,
  accountId: string,
  reference: DirectModelReference,
): MaybePromise<ResolvedModel> {
  const owned = accountTargetsOf(directories, accountId, reference);
  const sold = findCreditsModelByReference(directories, reference);
  return chainMaybePromise(owned, (targets) => ({
    reference,
    accountTargets: targets,
    creditsModel: sold,
  }));
}

/** What the credits catalogue has for what a reference names. */
export function findCreditsModelByReference(
  { catalog: catalogue }: ModelResolutionLookups,
  reference: DirectModelReference,
): CreditsCatalogModel | undefined {
  if (reference.kind === "bare") return catalogue.findById(reference.model);
  if (reference.kind === "vendor") return catalogue.byVendor(reference.vendor, reference.model);
  return undefined;
}

function accountTargetsOf(
  { upstreams, vendors, modelIds }: ModelResolutionLookups,
  accountId: string,
  reference: DirectModelReference,
): MaybePromise<readonly CallableUpstream[]> {
  switch (reference.kind) {
    case "custom":
      return chainMaybePromise(upstreams.find(accountId, reference.slug), (endpoint) =>
        endpoint === undefined ? [] : [{ kind: "custom", endpoint }],
      );
    case "vendor":
      return chainMaybePromise(vendors.find(accountId, reference.vendor), (vendor) =>
        vendor === undefined ? [] : [{ kind: "vendor", vendor }],
      );
    case "bare":
      return chainMaybePromise(vendors.linked(accountId), (linked) =>
        serversOf(linked, reference.model, modelIds),
      );
    case "agent":
      return [];
  }
}

/** Those of the linked vendors that serve a model, in link order. */
function serversOf(
  [vendor, ...others]: readonly CallableVendor[],
  model: string,
  modelIds: ModelResolutionLookups["modelIds"],
): MaybePromise<readonly CallableUpstream[]> {
  if (vendor === undefined) return [];
  return chainMaybePromise(modelIds(vendor), (ids) =>
    chainMaybePromise(serversOf(others, model, modelIds), (rest) =>
      ids.includes(model) ? [{ kind: "vendor", vendor }, ...rest] : rest,
    ),
  );
}

import type { NamedReference } from "./model-reference.ts";
import type { OwnTarget } from "./plan.ts";
import type { AliasLookup, CreditsCatalogue, UpstreamLookup, VendorLookup } from "../ports.ts";
import type { AliasAffinity, AliasStrategy, AliasTarget } from "../../kernel/alias-target.ts";
import { ApiError } from "../../platform/errors.ts";
import type { CallableVendor } from "../../kernel/callable-vendor.ts";
import type { SoldModel } from "../../kernel/sold-model.ts";
import type { Warm } from "../../platform/warm.ts";
import { whenWarm } from "../../platform/warm.ts";

/** Where the account's own endpoints, credentials and aliases are looked up. */
export interface Directories {
  readonly upstreams: UpstreamLookup;
  readonly vendors: VendorLookup;
  readonly aliases: AliasLookup;
  readonly catalogue: CreditsCatalogue;
  /** The ids that a linked vendor serves, configured or discovered; for bare ids and aliases. */
  readonly modelIds: (vendor: CallableVendor) => Warm<readonly string[]>;
}

/** What a model id names, and what of the account's own serves it. */
export interface ResolvedModel {
  /** Aliases are resolved: it is what they stand for. */
  readonly reference: NamedReference;
  /** In order of preference. */
  readonly owned: readonly OwnTarget[];
  /** What the credits catalogue has for it. */
  readonly sold: SoldModel | undefined;
}

/** One of several models that an alias stands for. */
export interface ResolvedTarget {
  readonly target: AliasTarget;
  /** The refusal of a model that is not known now. */
  readonly model: ResolvedModel | ApiError;
}

/** What an alias of several targets stands for. */
export interface ResolvedPool {
  readonly targets: readonly [ResolvedTarget, ...ResolvedTarget[]];
  readonly strategy: AliasStrategy;
  readonly affinity: AliasAffinity;
}

/** Of several models the one that is named first. Throws its refusal where it is not known now. */
export function firstModelOf(resolved: ResolvedModel | ResolvedPool): ResolvedModel {
  if (!("targets" in resolved)) return resolved;
  const { model } = resolved.targets[0];
  if (model instanceof ApiError) throw model;
  return model;
}

/** What of the account's own serves what a reference names. */
export function findOwned(
  directories: Directories,
  accountId: string,
  reference: NamedReference,
): Warm<ResolvedModel> {
  const owned = ownedTargets(directories, accountId, reference);
  const sold = soldModel(directories, reference);
  return whenWarm(owned, (targets) => ({ reference, owned: targets, sold }));
}

/** What the credits catalogue has for what a reference names. */
export function soldModel(
  { catalogue }: Directories,
  reference: NamedReference,
): SoldModel | undefined {
  if (reference.kind === "bare") return catalogue.byId(reference.model);
  if (reference.kind === "vendor") return catalogue.byVendor(reference.vendor, reference.model);
  return undefined;
}

function ownedTargets(
  { upstreams, vendors, modelIds }: Directories,
  accountId: string,
  reference: NamedReference,
): Warm<readonly OwnTarget[]> {
  switch (reference.kind) {
    case "custom":
      return whenWarm(upstreams.find(accountId, reference.slug), (endpoint) =>
        endpoint === undefined ? [] : [{ kind: "custom", endpoint }],
      );
    case "vendor":
      return whenWarm(vendors.find(accountId, reference.vendor), (vendor) =>
        vendor === undefined ? [] : [{ kind: "vendor", vendor }],
      );
    case "bare":
      return whenWarm(vendors.linked(accountId), (linked) =>
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
  modelIds: Directories["modelIds"],
): Warm<readonly OwnTarget[]> {
  if (vendor === undefined) return [];
  return whenWarm(modelIds(vendor), (ids) =>
    whenWarm(serversOf(others, model, modelIds), (rest) =>
      ids.includes(model) ? [{ kind: "vendor", vendor }, ...rest] : rest,
    ),
  );
}

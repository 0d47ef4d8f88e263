import { ApiError, invalidRequest } from "../../platform/errors.ts";
import type { NamedReference } from "./model-reference.ts";
import type { AliasTarget } from "../../kernel/alias-target.ts";
import type { Warm } from "../../platform/warm.ts";
import {
  findOwned,
  soldModel,
  type Directories,
  type ResolvedModel,
  type ResolvedPool,
  type ResolvedTarget,
} from "./owned-targets.ts";
import { allWarm, rescueWarm, whenWarm } from "../../platform/warm.ts";

/**
 * What an `@token` stands for: the account's own, then a built-in one, then one of
 * the catalogue. Throws 400 `param: model` for a token that there is not, and for
 * an alias without a model whose vendor or endpoint lists none.
 */
export function resolveAlias(
  directories: Directories,
  accountId: string,
  token: string,
): Warm<ResolvedModel | ResolvedPool> {
  return whenWarm(directories.aliases.find(accountId, token), (models) => {
    if (models === undefined) throw unknownAlias(token);
    const { targets, strategy, affinity } = models;
    const [first, ...others] = targets;
    if (others.length === 0) return resolveTarget(directories, accountId, token, first);
    const tried = (target: AliasTarget) => tryTarget(directories, accountId, token, target);
    return whenWarm(tried(first), (one) =>
      whenWarm(allWarm(others.map(tried)), (rest) => ({
        targets: [one, ...rest],
        strategy,
        affinity,
      })),
    );
  });
}

/** A target that cannot be resolved is passed over; the others are not. */
function tryTarget(
  directories: Directories,
  accountId: string,
  token: string,
  target: AliasTarget,
): Warm<ResolvedTarget> {
  return rescueWarm<ResolvedTarget>(
    () =>
      whenWarm(resolveTarget(directories, accountId, token, target), (model) => ({
        target,
        model,
      })),
    (error) => {
      if (!(error instanceof ApiError) || error.code === "unavailable") throw error;
      return { target, model: error };
    },
  );
}

function resolveTarget(
  directories: Directories,
  accountId: string,
  token: string,
  target: AliasTarget,
): Warm<ResolvedModel> {
  const named = findOwned(directories, accountId, referenceOf(target, target.modelId ?? ""));
  if (target.catalogueId !== undefined) {
    const sold = directories.catalogue.byId(target.catalogueId);
    return whenWarm(named, (resolved) => ({ ...resolved, sold }));
  }
  if (target.modelId !== undefined) return named;
  return whenWarm(named, (resolved) => withFirstModel(directories, token, target, resolved));
}

/** An alias without a model means the first that its vendor or endpoint has. */
function withFirstModel(
  directories: Directories,
  token: string,
  target: AliasTarget,
  { owned }: ResolvedModel,
): Warm<ResolvedModel> {
  return whenWarm(idsOf(directories, target, owned), ([model]) => {
    // Without a credential the refusal is about that, whatever the model.
    if (model === undefined && owned.length > 0) throw withoutModel(token, target);
    const reference = referenceOf(target, model ?? "");
    return { reference, owned, sold: soldModel(directories, reference) };
  });
}

/** Where nothing is owned it is the catalogue's vendor that counts, for credits. */
function idsOf(
  { modelIds, vendors }: Directories,
  { vendor }: AliasTarget,
  [first]: ResolvedModel["owned"],
): Warm<readonly string[]> {
  if (first === undefined) return vendors.configuredModels(vendor);
  return first.kind === "custom" ? (first.endpoint.models ?? []) : modelIds(first.vendor);
}

function referenceOf({ vendor }: AliasTarget, model: string): NamedReference {
  return vendor.startsWith("custom/")
    ? { kind: "custom", slug: vendor.slice("custom/".length), model }
    : { kind: "vendor", vendor, model };
}

/** The refusal of a token that there is not. */
export function unknownAlias(token: string): Error {
  return invalidRequest(
    "model",
    `There is no alias \`@${token}\`; GET /v1/aliases lists those that there are.`,
  );
}

function withoutModel(token: string, { vendor }: AliasTarget): Error {
  return invalidRequest(
    "model",
    `The alias \`@${token}\` names no model and \`${vendor}\` lists none; set its \`model_id\`.`,
  );
}

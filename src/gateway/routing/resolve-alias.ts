import { ApiError, invalidRequestError } from "../../platform/errors.ts";
import type { DirectModelReference } from "./model-reference.ts";
import type { AliasTarget } from "../../domain/alias-target.ts";
import type { MaybePromise } from "../../platform/maybe-promise.ts";
import {
  resolveDirectModelReference,
  findCreditsModelByReference,
  type ModelResolutionLookups,
  type ResolvedModel,
  type ResolvedAliasPool,
  type ResolvedAliasTarget,
} from "./account-targets.ts";
import {
  allMaybePromises,
  catchMaybePromise,
  chainMaybePromise,
} from "../../platform/maybe-promise.ts";

/**
 * What an `@token` stands for: the account's own, then a built-in one, then one of
 * the catalogue. Throws 400 `param: model` for a token that there is not, and for
 * an alias without a model whose vendor or endpoint lists none.
 */
export function resolveAliasModelOrPool(
  directories: ModelResolutionLookups,
  accountId: string,
  token: string,
): MaybePromise<ResolvedModel | ResolvedAliasPool> {
  return chainMaybePromise(directories.aliases.find(accountId, token), (models) => {
    if (models === undefined) throw unknownAliasError(token);
    const { targets, strategy, affinity } = models;
    const [first, ...others] = targets;
    if (others.length === 0) return resolveTarget(directories, accountId, token, first);
    const tried = (target: AliasTarget) => tryTarget(directories, accountId, token, target);
    return chainMaybePromise(tried(first), (one) =>
      chainMaybePromise(allMaybePromises(others.map(tried)), (rest) => ({
        targets: [one, ...rest],
        strategy,
        affinity,
      })),
    );
  });
}

/** A target that cannot be resolved is passed over; the others are not. */
function tryTarget(
  directories: ModelResolutionLookups,
  accountId: string,
  token: string,
  target: AliasTarget,
): MaybePromise<ResolvedAliasTarget> {
  return catchMaybePromise<ResolvedAliasTarget>(
    () =>
      chainMaybePromise(resolveTarget(directories, accountId, token, target), (model) => ({
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
  directories: ModelResolutionLookups,
  accountId: string,
  token: string,
  target: AliasTarget,
): MaybePromise<ResolvedModel> {
  const named = resolveDirectModelReference(
    directories,
    accountId,
    referenceOf(target, target.modelId ?? ""),
  );
  if (target.catalogId !== undefined) {
    const sold = directories.catalog.findById(target.catalogId);
    return chainMaybePromise(named, (resolved) => ({ ...resolved, creditsModel: sold }));
  }
  if (target.modelId !== undefined) return named;
  return chainMaybePromise(named, (resolved) =>
    withFirstModel(directories, token, target, resolved),
  );
}

/** An alias without a model means the first that its vendor or endpoint has. */
function withFirstModel(
  directories: ModelResolutionLookups,
  token: string,
  target: AliasTarget,
  { accountTargets: owned }: ResolvedModel,
): MaybePromise<ResolvedModel> {
  return chainMaybePromise(idsOf(directories, target, owned), ([model]) => {
    // Without a credential the refusal is about that, whatever the model.
    if (model === undefined && owned.length > 0) throw withoutModel(token, target);
    const reference = referenceOf(target, model ?? "");
    return {
      reference,
      accountTargets: owned,
      creditsModel: findCreditsModelByReference(directories, reference),
    };
  });
}

/** Where nothing is owned it is the catalogue's vendor that counts, for credits. */
function idsOf(
  { modelIds, vendors }: ModelResolutionLookups,
  { vendor }: AliasTarget,
  [first]: ResolvedModel["accountTargets"],
): MaybePromise<readonly string[]> {
  if (first === undefined) return vendors.configuredModels(vendor);
  return first.kind === "custom" ? (first.endpoint.models ?? []) : modelIds(first.vendor);
}

function referenceOf({ vendor }: AliasTarget, model: string): DirectModelReference {
  return vendor.startsWith("custom/")
    ? { kind: "custom", slug: vendor.slice("custom/".length), model }
    : { kind: "vendor", vendor, model };
}

/** The refusal of a token that there is not. */
export function unknownAliasError(token: string): Error {
  return invalidRequestError(
    "model",
    `There is no alias \`@${token}\`; GET /v1/aliases lists those that there are.`,
  );
}

function withoutModel(token: string, { vendor }: AliasTarget): Error {
  return invalidRequestError(
    "model",
    `The alias \`@${token}\` names no model and \`${vendor}\` lists none; set its \`model_id\`.`,
  );
}

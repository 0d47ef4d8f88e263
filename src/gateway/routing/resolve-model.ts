import { invalidRequestError } from "../../platform/errors.ts";
import { parseModelReference, type ModelReference } from "./model-reference.ts";
import {
  resolveDirectModelReference,
  type ModelResolutionLookups,
  type ResolvedModel,
  type ResolvedAliasPool,
} from "./account-targets.ts";
import type { MaybePromise } from "../../platform/maybe-promise.ts";
import { resolveAliasModelOrPool, unknownAliasError } from "./resolve-alias.ts";

/** Looks up what a model id names; synchronous when warm. Throws 400 for an id of no known form. */
export function resolveModelId(
  directories: ModelResolutionLookups,
  accountId: string,
  id: string,
): MaybePromise<ResolvedModel | ResolvedAliasPool> {
  const reference = readReference(directories, id);
  return reference.kind === "alias"
    ? resolveAliasModelOrPool(directories, accountId, reference.token)
    : resolveDirectModelReference(directories, accountId, reference);
}

/** Throws the 400 of `resolveModelId` for an id that no call is made with, whatever the account has. */
export async function assertResolvableModelId(
  directories: ModelResolutionLookups,
  accountId: string,
  id: string,
): Promise<void> {
  const reference = readReference(directories, id);
  if (reference.kind !== "alias") return;
  const target = await directories.aliases.find(accountId, reference.token);
  if (target === undefined) throw unknownAliasError(reference.token);
}

function readReference({ vendors }: ModelResolutionLookups, id: string): ModelReference {
  const reference = parseModelReference(id, (segment) => vendors.has(segment));
  if (reference !== undefined) return reference;
  throw invalidRequestError("model", "A custom model is named `custom/<slug>/<id>`.");
}

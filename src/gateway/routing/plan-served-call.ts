import type { CallerKey } from "../../domain/caller-key.ts";
import { ApiError } from "../../platform/errors.ts";
import { findNearestNames } from "../../platform/find-nearest.ts";
import type { MaybePromise } from "../../platform/maybe-promise.ts";
import type { DirectModelReference } from "./model-reference.ts";
import type { ResolvedModel } from "./account-targets.ts";
import { planCallRouting, type PlannedCall } from "./plan-call.ts";
import type { RoutingDependencies } from "./plan-pool.ts";
import type { ResolvedCall } from "./resolve-call.ts";

/** Ids of the models that a call of the key would be let through to now. */
export type UsableModelIdsLookup = (key: CallerKey) => Promise<readonly string[]>;

const maxSuggestions = 3;

/** A comparison takes the product of two lengths: longer names, and more of them, are left out. */
const maxComparedLength = 128;
const maxCompared = 1000;

/**
 * Decides where a call goes, at once. Throws what `planCallRouting` does; the refusal of a
 * model that nobody serves comes later, with the names that come nearest to its own.
 */
export function planCallOrSuggestModels(
  routing: RoutingDependencies,
  usableModels: UsableModelIdsLookup,
  resolved: ResolvedCall,
): MaybePromise<PlannedCall> {
  try {
    return planCallRouting(routing, resolved);
  } catch (error) {
    const { call, model } = resolved;
    if ("targets" in model || !isUnserved(model, error)) throw error;
    return rejectUnservedModel(usableModels, call.key, model.reference, error);
  }
}

function isUnserved(
  { accountTargets: owned, creditsModel: sold }: ResolvedModel,
  refusal: unknown,
): refusal is ApiError {
  const isServed = owned.length > 0 || sold !== undefined;
  return !isServed && refusal instanceof ApiError && refusal.code === "no_vendor_credential";
}

/** As it is, where no name can be told. */
async function rejectUnservedModel(
  usableModels: UsableModelIdsLookup,
  key: CallerKey,
  reference: DirectModelReference,
  refusal: ApiError,
): Promise<never> {
  const usable = await usableModels(key).catch(() => []);
  const names = nearestOf(nameOf(reference), usable).map((name) => `\`${name}\``);
  if (names.length === 0) throw refusal;
  const message = `${refusal.message} Nearest of what this key may use: ${names.join(", ")}.`;
  throw new ApiError(refusal.code, message);
}

function nameOf(reference: DirectModelReference): string {
  if (reference.kind === "vendor") return `${reference.vendor}/${reference.model}`;
  return "model" in reference ? reference.model : reference.id;
}

function nearestOf(asked: string, usable: readonly string[]): readonly string[] {
  if (asked.length > maxComparedLength) return [];
  const away = ({ length }: string): number => Math.abs(length - asked.length);
  const compared = usable
    .filter(({ length }) => length <= maxComparedLength)
    .toSorted((one, other) => away(one) - away(other))
    .slice(0, maxCompared)
    .map((name) => ({ name, others: [] }));
  return findNearestNames(asked, compared, maxSuggestions);
}

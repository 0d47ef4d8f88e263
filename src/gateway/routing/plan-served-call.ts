import type { CallerKey } from "../../kernel/caller-key.ts";
import { ApiError } from "../../platform/errors.ts";
import { nearest } from "../../platform/nearest.ts";
import type { Warm } from "../../platform/warm.ts";
import type { NamedReference } from "./model-reference.ts";
import type { ResolvedModel } from "./owned-targets.ts";
import { planCall, type PlannedCall } from "./plan-call.ts";
import type { Routing } from "./plan-pool.ts";
import type { ResolvedCall } from "./resolve-call.ts";

/** Ids of the models that a call of the key would be let through to now. */
export type UsableModels = (key: CallerKey) => Promise<readonly string[]>;

const namedAtMost = 3;

/** A comparison takes the product of two lengths: longer names, and more of them, are left out. */
const comparedLength = 128;
const comparedAtMost = 1000;

/**
 * Decides where a call goes, at once. Throws what `planCall` does; the refusal of a
 * model that nobody serves comes later, with the names that come nearest to its own.
 */
export function planServedCall(
  routing: Routing,
  usableModels: UsableModels,
  resolved: ResolvedCall,
): Warm<PlannedCall> {
  try {
    return planCall(routing, resolved);
  } catch (error) {
    const { call, model } = resolved;
    if ("targets" in model || !isUnserved(model, error)) throw error;
    return refuseUnserved(usableModels, call.key, model.reference, error);
  }
}

function isUnserved({ owned, sold }: ResolvedModel, refusal: unknown): refusal is ApiError {
  const isServed = owned.length > 0 || sold !== undefined;
  return !isServed && refusal instanceof ApiError && refusal.code === "no_vendor_credential";
}

/** As it is, where no name can be told. */
async function refuseUnserved(
  usableModels: UsableModels,
  key: CallerKey,
  reference: NamedReference,
  refusal: ApiError,
): Promise<never> {
  const usable = await usableModels(key).catch(() => []);
  const names = nearestOf(nameOf(reference), usable).map((name) => `\`${name}\``);
  if (names.length === 0) throw refusal;
  const message = `${refusal.message} Nearest of what this key may use: ${names.join(", ")}.`;
  throw new ApiError(refusal.code, message);
}

function nameOf(reference: NamedReference): string {
  if (reference.kind === "vendor") return `${reference.vendor}/${reference.model}`;
  return "model" in reference ? reference.model : reference.id;
}

function nearestOf(asked: string, usable: readonly string[]): readonly string[] {
  if (asked.length > comparedLength) return [];
  const away = ({ length }: string): number => Math.abs(length - asked.length);
  const compared = usable
    .filter(({ length }) => length <= comparedLength)
    .toSorted((one, other) => away(one) - away(other))
    .slice(0, comparedAtMost)
    .map((name) => ({ name, others: [] }));
  return nearest(asked, compared, namedAtMost);
}

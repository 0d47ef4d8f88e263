import type { ModelCapabilities } from "../../dialect/capabilities.ts";
import { inferModelCapabilities } from "../../dialect/model-capabilities.ts";
import type { DialectId } from "../../platform/configuration/configuration.ts";
import type { ResolvedUpstream } from "../upstream/call-target.ts";
import { getLearnedCapabilities, noLearnedCapabilities } from "./learned-capabilities.ts";
import type { CallableUpstream } from "../routing/plan.ts";

/**
 * What is known of a model of an upstream: of its family, of its endpoint, and by
 * refusals. Nothing is kept under the operator's credential.
 */
export function resolveCapabilities(
  owned: CallableUpstream,
  target: ResolvedUpstream,
  dialect: DialectId,
  model: string,
): ModelCapabilities {
  const vendor = owned.kind === "vendor" ? owned.vendor : undefined;
  const family = inferModelCapabilities({
    model,
    dialect,
    firstParty: vendor?.isFirstParty === true,
    maxOutputTokens: outputCapOf(owned, model),
  });
  const known = vendor?.belongsToOperator === true ? { ...family, canStore: false } : family;
  const learned = getLearnedCapabilities(target, model);
  return learned === noLearnedCapabilities ? known : { ...known, ...learned };
}

function outputCapOf(owned: CallableUpstream, model: string): number | undefined {
  return owned.kind === "custom" ? owned.endpoint.modelMeta?.[model]?.maxOutputTokens : undefined;
}

import type { Capabilities } from "../../dialect/capabilities.ts";
import { modelCapabilities } from "../../dialect/model-capabilities.ts";
import type { Dialect } from "../../platform/configuration/configuration.ts";
import type { CallTarget } from "../dial/call-target.ts";
import { learnedOf, nothingLearned } from "./learned-capabilities.ts";
import type { OwnTarget } from "../routing/plan.ts";

/**
 * What is known of a model of an upstream: of its family, of its endpoint, and by
 * refusals. Nothing is kept under the operator's credential.
 */
export function capabilitiesOf(
  owned: OwnTarget,
  target: CallTarget,
  dialect: Dialect,
  model: string,
): Capabilities {
  const vendor = owned.kind === "vendor" ? owned.vendor : undefined;
  const family = modelCapabilities({
    model,
    dialect,
    firstParty: vendor?.isFirstParty === true,
    maxOutputTokens: outputCapOf(owned, model),
  });
  const known = vendor?.isOperators === true ? { ...family, mayStore: false } : family;
  const learned = learnedOf(target, model);
  return learned === nothingLearned ? known : { ...known, ...learned };
}

function outputCapOf(owned: OwnTarget, model: string): number | undefined {
  return owned.kind === "custom" ? owned.endpoint.modelMeta?.[model]?.maxOutputTokens : undefined;
}

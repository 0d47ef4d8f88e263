import type { Capabilities } from "../dialect/capabilities.ts";
import { modelCapabilities } from "../dialect/model-capabilities.ts";
import type { Dialect } from "../platform/configuration/configuration.ts";
import type { DialTarget } from "./dial-target.ts";
import { learnedOf, nothingLearned } from "./lane/transcode/learned-capabilities.ts";
import type { OwnTarget } from "./plan.ts";

/** What is known of a model of an upstream: of its family, of its endpoint, and by refusals. */
export function capabilitiesOf(
  owned: OwnTarget,
  target: DialTarget,
  dialect: Dialect,
  model: string,
): Capabilities {
  const known = modelCapabilities({
    model,
    dialect,
    firstParty: owned.kind === "vendor" && owned.vendor.isFirstParty === true,
    maxOutputTokens: outputCapOf(owned, model),
  });
  const learned = learnedOf(target, model);
  return learned === nothingLearned ? known : { ...known, ...learned };
}

function outputCapOf(owned: OwnTarget, model: string): number | undefined {
  return owned.kind === "custom" ? owned.endpoint.modelMeta?.[model]?.maxOutputTokens : undefined;
}

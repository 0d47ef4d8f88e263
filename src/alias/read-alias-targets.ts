import {
  AliasAffinitySchema,
  AliasRouteSchema,
  AliasStrategySchema,
  type SetAliasRequest,
} from "../../gen/ts/causeway/alias/v1/alias_pb.ts";
import { enumNumberToName } from "../contract/enum-name.ts";
import type {
  AliasAffinity,
  AliasRouting,
  AliasStrategy,
  AliasTarget,
} from "../domain/alias-target.ts";
import { invalidRequestError } from "../platform/errors.ts";

const minTargets = 2;

/**
 * What a request says that an alias stands for. Throws 400 with the field as
 * `param` where its parts do not fit together.
 */
export function readAliasRoutingFromRequest(request: SetAliasRequest): AliasRouting {
  if (request.targets.length === 0 && !request.targetsGiven) return onlyModelOf(request);
  const [first, ...others] = request.targets.map(targetOf);
  if (first === undefined || others.length + 1 < minTargets) throw tooFewTargets();
  const targets = [first, ...others] as const;
  assertFirst(first, request);
  assertDifferent(targets);
  const strategy =
    (enumNumberToName(AliasStrategySchema, request.strategy) as AliasStrategy | undefined) ??
    "order";
  const affinity =
    (enumNumberToName(AliasAffinitySchema, request.affinity) as AliasAffinity | undefined) ??
    "none";
  assertFits(strategy, affinity);
  return { targets, strategy, affinity };
}

function onlyModelOf({ vendor, modelId, strategy, affinity }: SetAliasRequest): AliasRouting {
  if (vendor === "") throw invalidRequestError("vendor", "`vendor` is required, or `targets`.");
  if (strategy !== undefined) throw onlyWithTargets("strategy");
  if (affinity !== undefined) throw onlyWithTargets("affinity");
  return { targets: [{ vendor, modelId }], strategy: "order", affinity: "none" };
}

function targetOf(
  { vendor, modelId, weight, route }: SetAliasRequest["targets"][number],
  index: number,
): AliasTarget {
  const named = enumNumberToName(AliasRouteSchema, route) as
    | NonNullable<AliasTarget["route"]>
    | undefined;
  if (named === "credits" && vendor.startsWith("custom/")) {
    throw invalidRequestError(
      `targets[${index}].route`,
      "A custom endpoint is never paid from credits; leave `route` out, or name a vendor.",
    );
  }
  return {
    vendor,
    modelId,
    ...(weight !== undefined && { weight }),
    ...(named !== undefined && { route: named }),
  };
}

/** What stands beside the targets may repeat the first of them, and nothing else. */
function assertFirst(first: AliasTarget, { vendor, modelId }: SetAliasRequest): void {
  const isSame =
    (vendor === "" || vendor === first.vendor) &&
    (modelId === undefined || modelId === first.modelId);
  if (isSame) return;
  throw invalidRequestError(
    "targets",
    "`vendor` and `model_id` beside `targets` must be those of the first target; leave them out.",
  );
}

function assertDifferent(targets: readonly AliasTarget[]): void {
  const keys = targets.map(({ vendor, modelId, route }) =>
    JSON.stringify([vendor, modelId, route]),
  );
  const repeated = keys.findIndex((key, index) => keys.indexOf(key) < index);
  if (repeated === -1) return;
  throw invalidRequestError(
    "targets",
    `\`targets[${repeated}]\` is there twice; use \`weight\` for a larger share.`,
  );
}

function assertFits(strategy: AliasStrategy, affinity: AliasAffinity): void {
  if (affinity === "none" || strategy === "weighted") return;
  throw invalidRequestError("affinity", "`session` is for the strategy `weighted` only.");
}

function tooFewTargets(): Error {
  return invalidRequestError(
    "targets",
    "`targets` must have 2 to 8 entries; for one use `vendor` and `model_id`.",
  );
}

function onlyWithTargets(param: string): Error {
  return invalidRequestError(param, `\`${param}\` is for an alias with \`targets\`; leave it out.`);
}

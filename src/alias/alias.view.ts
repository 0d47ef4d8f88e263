import { create } from "@bufbuild/protobuf";
import {
  AliasAffinitySchema,
  AliasChangeSchema,
  AliasChangesSchema,
  AliasCustody,
  AliasCustodySchema,
  AliasRouteSchema,
  AliasSchema as AliasMessage,
  AliasSource,
  AliasSourceSchema,
  AliasStrategySchema,
  AliasTargetSchema,
  type AliasTarget as TargetView,
  type Alias as AliasView,
  type AliasChanges,
} from "../../gen/ts/causeway/alias/v1/alias_pb.ts";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { enumNameToNumber } from "../contract/enum-name.ts";
import type { Alias } from "./alias.entity.ts";
import type { AliasRouting, AliasTarget } from "../domain/alias-target.ts";
import { getAliasRouting, type AliasesChangedSinceRevision } from "./aliases.ts";
import type { GlobalAlias } from "./global-aliases.ts";

/** Whether a vendor id or `custom/<slug>` can be called by the account now. */
export type VendorAvailabilityPredicate = (vendor: string) => boolean;

/** A personal alias as callers see it. */
export function viewAlias(alias: Alias, isAvailable: VendorAvailabilityPredicate): AliasView {
  const models = getAliasRouting(alias);
  return create(AliasMessage, {
    object: "alias",
    token: alias.token,
    vendor: alias.vendor,
    ...(alias.modelId !== null && { modelId: alias.modelId }),
    ...(alias.label !== null && { label: alias.label }),
    source: AliasSource.PERSONAL,
    custody: enumNameToNumber(AliasCustodySchema, alias.custody),
    available: models.targets.some(({ vendor }) => isAvailable(vendor)),
    rev: BigInt(alias.rev),
    updatedAt: timestampFromDate(alias.updatedAt),
    ...(models.targets.length > 1 && severalTargets(models)),
  });
}

function severalTargets({ targets, strategy, affinity }: AliasRouting) {
  return {
    targets: targets.map(viewTarget),
    strategy: enumNameToNumber(AliasStrategySchema, strategy),
    affinity: enumNameToNumber(AliasAffinitySchema, affinity),
  };
}

function viewTarget({ vendor, modelId, weight, route }: AliasTarget): TargetView {
  return create(AliasTargetSchema, {
    vendor,
    ...(modelId !== undefined && { modelId }),
    ...(weight !== undefined && { weight }),
    ...(route !== undefined && { route: enumNameToNumber(AliasRouteSchema, route) }),
  });
}

/** An alias that everybody has; it was never written. */
export function viewGlobalAlias(
  alias: GlobalAlias,
  isAvailable: VendorAvailabilityPredicate,
): AliasView {
  const { token, vendor, modelId, label, source } = alias;
  return create(AliasMessage, {
    object: "alias",
    token,
    vendor,
    ...(modelId !== undefined && { modelId }),
    label,
    source: enumNameToNumber(AliasSourceSchema, source),
    custody: AliasCustody.ENVELOPE,
    available: isAvailable(vendor),
    rev: 0n,
  });
}

/** What was written, as devices hear it. */
export function viewAliasChanges(
  { rev, changes }: AliasesChangedSinceRevision,
  isAvailable: VendorAvailabilityPredicate,
): AliasChanges {
  return create(AliasChangesSchema, {
    rev: BigInt(rev),
    changes: changes.map((alias) =>
      create(AliasChangeSchema, {
        rev: BigInt(alias.rev),
        token: alias.token,
        deleted: alias.deletedAt !== null,
        ...(alias.deletedAt === null && { alias: viewAlias(alias, isAvailable) }),
      }),
    ),
  });
}

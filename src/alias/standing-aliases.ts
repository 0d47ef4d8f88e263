import type { CatalogueModel } from "../platform/configuration/credits.ts";
import type { AliasTarget } from "../kernel/alias-target.ts";

/** A vendor as aliases need it. */
export interface AliasVendor {
  readonly id: string;
  readonly label: string;
}

/** An alias that everybody has. */
export interface StandingAlias extends AliasTarget {
  readonly token: string;
  readonly label: string;
  readonly source: "built_in" | "catalog";
}

/**
 * The aliases that are the same for every account: one per vendor, then one per entry of
 * the credits catalogue. A personal alias of the same token wins and hides none in the
 * list.
 */
export function standingAliases(
  vendors: readonly AliasVendor[],
  catalogue: readonly CatalogueModel[],
): readonly StandingAlias[] {
  return [...vendors.map(builtIn), ...catalogue.map(ofCatalogue)];
}

function builtIn({ id, label }: AliasVendor): StandingAlias {
  return { token: id, vendor: id, modelId: undefined, label, source: "built_in" };
}

function ofCatalogue({ id, vendor, model }: CatalogueModel): StandingAlias {
  const target = { vendor, modelId: model, catalogueId: id };
  return { token: tokenOf(id), ...target, label: id, source: "catalog" };
}

/** The id with other characters than a token has as `-`. */
function tokenOf(id: string): string {
  return id
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]/g, "-")
    .replace(/^[^a-z0-9]+/, "")
    .slice(0, 63);
}

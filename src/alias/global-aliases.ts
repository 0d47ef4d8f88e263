import type { CreditsCatalogEntry } from "../platform/configuration/credits.ts";
import type { AliasTarget } from "../domain/alias-target.ts";

/** A vendor as aliases need it. */
export interface LabeledVendor {
  readonly id: string;
  readonly label: string;
}

/** An alias that everybody has. */
export interface GlobalAlias extends AliasTarget {
  readonly token: string;
  readonly label: string;
  readonly source: "built_in" | "catalog";
}

/**
 * The aliases that are the same for every account: one per vendor, then one per entry of
 * the credits catalogue. A personal alias of the same token wins and hides none in the
 * list.
 */
export function buildGlobalAliases(
  vendors: readonly LabeledVendor[],
  catalogue: readonly CreditsCatalogEntry[],
): readonly GlobalAlias[] {
  return [...vendors.map(builtIn), ...catalogue.map(fromCatalog)];
}

function builtIn({ id, label }: LabeledVendor): GlobalAlias {
  return { token: id, vendor: id, modelId: undefined, label, source: "built_in" };
}

function fromCatalog({ id, vendor, model }: CreditsCatalogEntry): GlobalAlias {
  const target = { vendor, modelId: model, catalogId: id };
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

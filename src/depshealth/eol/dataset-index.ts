import type { EolDataset, EolProduct } from "./dataset.ts";

/** Ways to find a product. */
export interface EolDatasetIndex {
  /** By name or alias, in lower case. */
  readonly byName: ReadonlyMap<string, EolProduct>;
  /** By package URL, see `toPackageUrlKey`. */
  readonly byPurl: ReadonlyMap<string, EolProduct>;
}

const indexes = new WeakMap<EolDataset, EolDatasetIndex>();

/** The index of a dataset, made once. A name beats an alias of another product. */
export function getEolDatasetIndex(dataset: EolDataset): EolDatasetIndex {
  const known = indexes.get(dataset);
  if (known !== undefined) return known;
  const { products } = dataset;
  const aliases = products.flatMap((product) =>
    product.aliases.map((alias) => [alias.toLowerCase(), product] as const),
  );
  const names = products.map((product) => [product.name.toLowerCase(), product] as const);
  const purls = products.flatMap((product) =>
    product.purls.map((purl) => [toPackageUrlKey(purl), product] as const),
  );
  const made = { byName: new Map([...aliases, ...names]), byPurl: new Map(purls) };
  indexes.set(dataset, made);
  return made;
}

/** Package URLs are written with and without escapes; a version or a subpath is none of the name. */
export function toPackageUrlKey(purl: string): string {
  const [bare = ""] = purl.split(/[?#]/, 1);
  return decode(bare).toLowerCase();
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

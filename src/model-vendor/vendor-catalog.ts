import type { VendorCatalogEntry } from "../platform/configuration/configuration.ts";
import { notFoundError } from "../platform/errors.ts";

export type VendorDefinitions = Readonly<Record<string, VendorCatalogEntry>>;

/** A vendor with its id, the first segment of its models' ids. */
export interface Vendor extends VendorCatalogEntry {
  readonly id: string;
}

/**
 * The vendors this server knows. Lists are merged by id, a later one wins: what
 * the operator configures replaces what is built in.
 */
export class VendorCatalog {
  readonly #vendors: ReadonlyMap<string, Vendor>;

  constructor(...lists: readonly VendorDefinitions[]) {
    const merged = new Map(lists.flatMap((list) => Object.entries(list)));
    const ids = [...merged.keys()].toSorted();
    this.#vendors = new Map(
      ids.flatMap((id) => {
        const definition = merged.get(id);
        return definition === undefined ? [] : [[id, { ...definition, id }]];
      }),
    );
  }

  has(id: string): boolean {
    return this.#vendors.has(id);
  }

  find(id: string): Vendor | undefined {
    return this.#vendors.get(id);
  }

  /** Throws 404 `not_found`. */
  get(id: string): Vendor {
    const vendor = this.#vendors.get(id);
    if (vendor === undefined) throw notFoundError("vendor");
    return vendor;
  }

  /** Every vendor, by id. */
  all(): readonly Vendor[] {
    return [...this.#vendors.values()];
  }
}

import type { DataSourceFailure } from "../fetch/outcome.ts";

/**
 * The end-of-life dataset as it is kept: what the answers need of it. Days are
 * `2026-11-20`. Every flag was true or false on the day the dataset was made, so
 * that a date beats it.
 */
export interface EolDataset {
  /** In the dataset's own order. */
  readonly products: readonly EolProduct[];
}

export interface EolProduct {
  readonly name: string;
  readonly label: string;
  readonly aliases: readonly string[];
  /** Package URLs of what is published of it. */
  readonly purls: readonly string[];
  /** Newest first. */
  readonly cycles: readonly EolCycle[];
}

export interface EolCycle {
  readonly name: string;
  readonly releasedOn: string | null;
  readonly lts: EolDateOrFlag;
  /** End of active support; null: the dataset does not tell for this product. */
  readonly supportEnd: EolDateOrFlag | null;
  readonly end: EolDateOrFlag;
  readonly latest: { readonly name: string; readonly releasedOn: string | null } | null;
}

/** Something that is so from a day on, or, where no day is known, is so or not. */
export interface EolDateOrFlag {
  readonly day: string | null;
  readonly flag: boolean;
}

/** The dataset as it is at hand. */
export interface LoadedEolDataset {
  readonly document: EolDataset;
  /** When it was last true at its source. */
  readonly observedAt: number;
  /** It came with the program; else it was fetched. */
  readonly isShipped: boolean;
  /** Why no newer copy is at hand. */
  readonly failure?: DataSourceFailure;
}

import { ApiError } from "../../platform/errors.ts";
import { decideEolCycleVerdict, countDaysToEol } from "./cycle-verdict.ts";
import type { EolCycle, EolDataset, EolProduct, LoadedEolDataset } from "./dataset.ts";
import { getEolDatasetIndex } from "./dataset-index.ts";
import { findEolCycle } from "./find-cycle.ts";
import { findNearestNames } from "../../platform/find-nearest.ts";

/** What is asked: a product, and one of its cycles, or some. */
export interface EolQuery {
  readonly product: string;
  readonly cycle: string | undefined;
  /** Without those that ended long ago; undefined: every cycle. */
  readonly currentOn?: string;
}

/** A product with the cycles that were asked for. */
export interface MatchedEolProductCycles {
  readonly product: EolProduct;
  readonly cycles: readonly EolCycle[];
  /** What they were found in. */
  readonly dataset: LoadedEolDataset;
}

/**
 * Finds a product and its cycles. Throws 404 `not_found` with the nearest names
 * for one that the dataset does not have.
 */
export function lookUpRuntimeEol(
  dataset: LoadedEolDataset,
  question: EolQuery,
): MatchedEolProductCycles {
  const product = findProduct(dataset.document, question.product);
  return { product, cycles: cyclesOf(product, question), dataset };
}

function cyclesOf(product: EolProduct, { cycle, currentOn }: EolQuery): readonly EolCycle[] {
  if (cycle !== undefined) return [oneCycle(product, cycle)];
  if (currentOn === undefined) return product.cycles;
  return product.cycles.filter((it, index) => index === 0 || isCurrent(it, currentOn));
}

/** Whoever is on a cycle that ended within the last year may still be leaving it. */
function isCurrent(cycle: EolCycle, today: string): boolean {
  const days = countDaysToEol(cycle, today);
  return decideEolCycleVerdict(cycle, today) !== "eol" || (days !== undefined && days >= -365);
}

function findProduct(dataset: EolDataset, name: string): EolProduct {
  const found = getEolDatasetIndex(dataset).byName.get(name.trim().toLowerCase());
  if (found !== undefined) return found;
  const candidates = dataset.products.map((product) => ({
    name: product.name,
    others: [...product.aliases, product.label],
  }));
  throw new ApiError("not_found", "The end-of-life dataset has no product of that name.", {
    suggestions: findNearestNames(name, candidates),
  });
}

function oneCycle(product: EolProduct, text: string): EolCycle {
  const found = findEolCycle(product, text);
  if (found !== undefined) return found;
  const candidates = product.cycles.map(({ name }) => ({ name, others: [] }));
  throw new ApiError("not_found", `${product.label} has no such release cycle in the dataset.`, {
    suggestions: findNearestNames(text, candidates),
  });
}

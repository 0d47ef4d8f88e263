import { ApiError } from "../../platform/errors.ts";
import type { EolCycle, EolDataset, EolProduct, LoadedDataset } from "./dataset.ts";
import { indexOf } from "./dataset-index.ts";
import { findCycle } from "./find-cycle.ts";
import { nearest } from "../../platform/nearest.ts";

/** What is asked: a product, and maybe one of its cycles. */
export interface EolQuestion {
  readonly product: string;
  readonly cycle: string | undefined;
}

/** A product with the cycles that were asked for. */
export interface EolAnswer {
  readonly product: EolProduct;
  readonly cycles: readonly EolCycle[];
  /** What they were found in. */
  readonly dataset: LoadedDataset;
}

/**
 * Finds a product and its cycles. Throws 404 `not_found` with the nearest names
 * for one that the dataset does not have.
 */
export function answerOf(dataset: LoadedDataset, question: EolQuestion): EolAnswer {
  const product = findProduct(dataset.document, question.product);
  return {
    product,
    cycles: question.cycle === undefined ? product.cycles : [oneCycle(product, question.cycle)],
    dataset,
  };
}

function findProduct(dataset: EolDataset, name: string): EolProduct {
  const found = indexOf(dataset).byName.get(name.trim().toLowerCase());
  if (found !== undefined) return found;
  const candidates = dataset.products.map((product) => ({
    name: product.name,
    others: [...product.aliases, product.label],
  }));
  throw new ApiError("not_found", "The end-of-life dataset has no product of that name.", {
    suggestions: nearest(name, candidates),
  });
}

function oneCycle(product: EolProduct, text: string): EolCycle {
  const found = findCycle(product, text);
  if (found !== undefined) return found;
  const candidates = product.cycles.map(({ name }) => ({ name, others: [] }));
  throw new ApiError("not_found", `${product.label} has no such release cycle in the dataset.`, {
    suggestions: nearest(text, candidates),
  });
}

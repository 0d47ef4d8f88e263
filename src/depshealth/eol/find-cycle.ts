import type { EolCycle, EolProduct } from "./dataset.ts";

const indexes = new WeakMap<EolProduct, ReadonlyMap<string, EolCycle>>();

/**
 * The cycle that a text means: its name in any case, with or without a leading
 * `v`, or a version of it (`22.11.0` is of `22`, `3.11.4` of `3.11`).
 */
export function findEolCycle(product: EolProduct, text: string): EolCycle | undefined {
  const cycles = cyclesByName(product);
  const wanted = text.trim().toLowerCase();
  return cycles.get(wanted) ?? longestPrefix(cycles, wanted.replace(/^v/, ""));
}

function longestPrefix(
  cycles: ReadonlyMap<string, EolCycle>,
  version: string,
): EolCycle | undefined {
  const parts = version.split(".");
  for (let length = parts.length; length > 0; length--) {
    const found = cycles.get(parts.slice(0, length).join("."));
    if (found !== undefined) return found;
  }
  return undefined;
}

function cyclesByName(product: EolProduct): ReadonlyMap<string, EolCycle> {
  const known = indexes.get(product);
  if (known !== undefined) return known;
  const made = new Map(product.cycles.map((cycle) => [cycle.name.toLowerCase(), cycle]));
  indexes.set(product, made);
  return made;
}

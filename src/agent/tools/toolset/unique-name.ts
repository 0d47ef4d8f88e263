import { trimCharacter } from "../../../platform/trim-character.ts";

/** Longest name of a function that every dialect takes. */
const maxNameLength = 64;

/** UTF-16 units of a text that are read for a name. Normalized, one may become eighteen. */
const [maxReadUnits, maxNormalizedUnits] = [2 * maxNameLength, 4 * maxNameLength];

/**
 * Returns the beginning of a text in letters, digits, `_` and `-`, which every dialect takes;
 * empty when it has none of them.
 */
export function sanitizeToolName(text: string, longest: number = maxNameLength): string {
  const name = text
    .slice(0, maxReadUnits)
    .normalize("NFKD")
    .slice(0, maxNormalizedUnits)
    .replaceAll(/\p{Mn}/gu, "")
    .replaceAll(/[^\w-]+/g, "_");
  return trimCharacter(name, "_").slice(0, longest);
}

/** Room for the largest suffix. */
const suffixLength = 6;

/** Gives out names that differ from each other and from those that were taken before. */
export class UniqueToolNameAllocator {
  readonly #taken: Set<string>;
  /** The next suffix to try for stems of one beginning, so that equal stems cost no search. */
  readonly #nextSuffixes = new Map<string, number>();

  readonly #separator: string;

  constructor(taken: Iterable<string> = [], separator = "_") {
    this.#taken = new Set(taken);
    this.#separator = separator;
  }

  has(name: string): boolean {
    return this.#taken.has(name);
  }

  /** The stem, or a name like it that ends with the separator and 2, 3, …. */
  create(stem: string): string {
    const beginning = stem.slice(0, maxNameLength - suffixLength);
    let name = stem.slice(0, maxNameLength);
    let suffix = this.#nextSuffixes.get(beginning) ?? 2;
    for (; this.#taken.has(name); suffix++) name = withSuffix(stem, `${this.#separator}${suffix}`);
    this.#nextSuffixes.set(beginning, suffix);
    this.#taken.add(name);
    return name;
  }
}

function withSuffix(stem: string, suffix: string): string {
  return stem.slice(0, maxNameLength - suffix.length) + suffix;
}

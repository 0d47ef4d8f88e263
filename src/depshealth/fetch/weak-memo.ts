interface Derivation {
  readonly sources: readonly object[];
  readonly value: unknown;
}

/** Variants that are kept of one object: what callers choose, versions for instance, must not pile up. */
const maxVariants = 64;

/**
 * Keeps what was derived from objects that do not change, for as long as the
 * first of them lives.
 */
export class WeakMemo {
  readonly #byFirst = new WeakMap<object, Map<string, Derivation>>();

  /**
   * Returns the result of `make` for the sources, which are the same objects as long as nothing
   * has changed. The variant names the package, because packages may share all of their sources.
   */
  get<Value>(variant: string, sources: readonly object[], make: () => Value): Value {
    const [first] = sources;
    if (first === undefined) return make();
    const known = this.#of(first);
    const found = known.get(variant);
    if (found !== undefined && isSame(found.sources, sources)) return found.value as Value;
    const value = make();
    const [oldest] = known.keys();
    if (known.size >= maxVariants && oldest !== undefined) known.delete(oldest);
    known.set(variant, { sources, value });
    return value;
  }

  #of(first: object): Map<string, Derivation> {
    const known = this.#byFirst.get(first) ?? new Map<string, Derivation>();
    this.#byFirst.set(first, known);
    return known;
  }
}

function isSame(left: readonly object[], right: readonly object[]): boolean {
  return left.length === right.length && left.every((item, index) => item === right[index]);
}

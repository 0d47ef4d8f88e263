/** Writes JSON in pieces, and each object once, however often it occurs. */
export class JsonStringifyCache {
  readonly #texts = new Map<object, string>();

  /** The JSON of an object or list. */
  of(value: object): string {
    const known = this.#texts.get(value);
    if (known !== undefined) return known;
    const text = JSON.stringify(value);
    this.#texts.set(value, text);
    return text;
  }

  /** The JSON of an object, member by member. */
  *pieces(object: object): Iterable<string> {
    let before = "{";
    for (const [name, value] of Object.entries(object)) {
      if (value === undefined) continue;
      yield `${before}${JSON.stringify(name)}:`;
      yield isObject(value) ? this.of(value) : JSON.stringify(value);
      before = ",";
    }
    yield before === "{" ? "{}" : "}";
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

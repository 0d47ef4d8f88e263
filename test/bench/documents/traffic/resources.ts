/**
 * What an interface has in its collections: the operations below a place are about the same
 * few resources, one for each observation.
 */
export class Resources {
  readonly #count: number;
  readonly #ids = new Map<string, string>();

  constructor(count: number) {
    this.#count = count;
  }

  /** The id of a resource in a collection, which is made when it is first asked for. */
  at(collection: string, index: number, make: () => string): string {
    const key = `${collection} ${index % this.#count}`;
    const id = this.#ids.get(key) ?? make();
    this.#ids.set(key, id);
    return id;
  }
}

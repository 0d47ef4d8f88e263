/** Records are looked through for idle ones when this many more have come. */
const sweepAfter = 10_000;

/**
 * Records by id, made when they are first asked for. One stays between its uses;
 * idle ones go when there are many.
 */
export class IdleEvictingMap<Value> {
  readonly #make: () => Value;
  readonly #isIdle: (record: Value) => boolean;
  readonly #byId = new Map<string, Value>();
  #sweepAt = sweepAfter;

  constructor(make: () => Value, isIdle: (record: Value) => boolean) {
    this.#make = make;
    this.#isIdle = isIdle;
  }

  /** Ids that are remembered now. */
  get size(): number {
    return this.#byId.size;
  }

  /** The record of an id. Ask for it anew for each use. */
  getOrCreate(id: string): Value {
    const known = this.#byId.get(id);
    if (known !== undefined) return known;
    if (this.#byId.size >= this.#sweepAt) this.#evictIdle();
    const record = this.#make();
    this.#byId.set(id, record);
    return record;
  }

  #evictIdle(): void {
    for (const [id, record] of this.#byId) if (this.#isIdle(record)) this.#byId.delete(id);
    this.#sweepAt = this.#byId.size + sweepAfter;
  }
}

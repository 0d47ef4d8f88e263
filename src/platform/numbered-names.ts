/** Allots each name once: a name that is in use gets the next free number. */
export class UniqueNameAllocator {
  readonly #taken: Set<string>;
  /** By wanted name: names up to this number are taken. */
  readonly #numbers = new Map<string, number>();

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken);
  }

  /** Returns the wanted name, or `<wanted>_2`, `<wanted>_3` and so on if it is taken. */
  take(wanted: string): string {
    let name = wanted;
    let number = this.#numbers.get(wanted) ?? 1;
    while (this.#taken.has(name)) name = `${wanted}_${++number}`;
    this.#numbers.set(wanted, number);
    this.#taken.add(name);
    return name;
  }

  has(name: string): boolean {
    return this.#taken.has(name);
  }
}

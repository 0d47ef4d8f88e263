import type { ApiError } from "./errors.ts";
import type { MemoryReserver } from "./hold-memory.ts";
import { countJsonValues } from "./json-splice/count-values.ts";

/** Smallest size of a parsed value in memory. */
const valueBytes = 100;

/** The memory of so many values is counted at once. */
const valuesPerHold = 10_000;

/** The stored JSON that one request may parse: so many values over all of it. */
export class StoredJsonParseBudget {
  /** Counts the bytes of the JSON until the request ends. */
  readonly hold: MemoryReserver;
  #left: number;
  #uncounted = 0;

  /** `maxValues`: of all JSON texts together. */
  constructor(hold: MemoryReserver, maxValues: number) {
    this.hold = hold;
    this.#left = maxValues;
  }

  /** Parses a JSON text. Throws `tooMany` if it has more values than are left, or what `hold` throws. */
  parse(bytes: Buffer, tooMany: () => ApiError): unknown {
    const values = countJsonValues(bytes, this.#left);
    if (values > this.#left) throw tooMany();
    this.#left -= values;
    this.#uncounted += values;
    if (this.#uncounted > valuesPerHold) {
      this.hold(this.#uncounted * valueBytes);
      this.#uncounted = 0;
    }
    return JSON.parse(bytes.toString());
  }

  /** Parses one of the members of an object; undefined: it has no such member. Throws like `parse`. */
  parseMember(
    members: ReadonlyMap<string, Buffer>,
    name: string,
    tooMany: () => ApiError,
  ): unknown {
    const json = members.get(name);
    return json === undefined ? undefined : this.parse(json, tooMany);
  }
}

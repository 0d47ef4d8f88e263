/**
 * Rows of one statement. A statement takes a busy process some twenty milliseconds,
 * nearly whatever is in it: with fewer rows it could not keep up with the calls.
 */
const rowsAtMost = 1000;

/** Room for so many rows with the usage objects that vendors send. */
const slabBytes = 512 * 1024;

/** Units of what rows have in common, of a batch: these wait as strings. */
const commonUnitsAtMost = 128 * 1024;

/** The binary form of jsonb is this version and the text. */
const jsonbVersion = 1;

/** Of a row: braces, commas, and the member with the place of what it has in common. */
const memberBytes = 32;

/** UTF-8 needs at most so many bytes for a unit of a string. */
const bytesPerUnit = 3;

/** Rows as parameters of a statement. */
export interface RowParameters {
  /** A jsonb array of objects; their `common` is a place in the other one, from 1. */
  readonly rows: Buffer;
  /** A JSON array of what rows have in common. */
  readonly common: string;
}

/**
 * Rows as the text of a JSON array in the binary form of a jsonb parameter. They
 * wait outside of the heap: as objects or strings they would be copied from
 * generation to generation by the garbage collector until they are written. What
 * many rows have in common stands once for all of them: a third of the bytes.
 */
export class RowSlab {
  #bytes = Buffer.allocUnsafeSlow(slabBytes);
  #used = 0;
  #rows = 0;
  readonly #common = new Map<string, number>();
  #commonUnits = 0;

  get isFull(): boolean {
    return this.#rows >= rowsAtMost || this.#commonUnits >= commonUnitsAtMost;
  }

  get isEmpty(): boolean {
    return this.#rows === 0;
  }

  /**
   * Adds a row; false: there is no room for it. `common` is the JSON text of what it
   * has in common with others, `members` the text of its other members, without braces.
   */
  add(common: string, members: string): boolean {
    const needed = (members.length + memberBytes) * bytesPerUnit;
    if (this.#used + needed > this.#bytes.length) {
      if (!this.isEmpty) return false;
      this.#bytes = Buffer.allocUnsafeSlow(needed);
    }
    const row = `{"common":${this.#placeOf(common)},${members}}`;
    if (this.isEmpty) this.#used = this.#bytes.writeUInt8(jsonbVersion, 0);
    this.#used += this.#bytes.write(`${this.isEmpty ? "[" : ","}${row}`, this.#used);
    this.#rows += 1;
    return true;
  }

  /** What it holds; valid until rows are added again. */
  parameters(): RowParameters {
    const end = this.#used + this.#bytes.write("]", this.#used);
    return {
      rows: this.#bytes.subarray(0, end),
      common: `[${[...this.#common.keys()].join(",")}]`,
    };
  }

  /** Empties it for other rows. */
  clear(): void {
    this.#used = 0;
    this.#rows = 0;
    this.#common.clear();
    this.#commonUnits = 0;
  }

  /**
   * Gives its memory back, for good. A collection of garbage would do so too, but
   * after minutes, because slabs are large for the machine and small for the heap.
   */
  release(): void {
    this.#bytes.buffer.transfer(0);
  }

  #placeOf(common: string): number {
    const known = this.#common.get(common);
    if (known !== undefined) return known;
    const place = this.#common.size + 1;
    this.#common.set(common, place);
    this.#commonUnits += common.length;
    return place;
  }
}

/** The parameters of a statement for each row of one for all, with nothing of other rows. */
export function separateRows({ rows, common }: RowParameters): readonly RowParameters[] {
  const objects = JSON.parse(rows.toString("utf8", 1)) as readonly StoredRow[];
  const shared = JSON.parse(common) as readonly unknown[];
  return objects.map((row) => ({
    rows: parameterOf({ ...row, common: 1 }),
    common: JSON.stringify([shared[row.common - 1]]),
  }));
}

interface StoredRow {
  readonly common: number;
}

function parameterOf(row: StoredRow): Buffer {
  return Buffer.from(`${String.fromCharCode(jsonbVersion)}${JSON.stringify([row])}`);
}

/**
 * Rows of one statement. A statement takes a busy process some twenty milliseconds,
 * nearly whatever is in it: with fewer rows it could not keep up with the calls.
 */
const rowsAtMost = 1000;

/** Room for so many rows with the usage objects that vendors send. */
const slabBytes = 512 * 1024;

/** The binary form of jsonb is this version and the text. */
const jsonbVersion = 1;

/** UTF-8 needs at most so many bytes for a unit of a string. */
const bytesPerUnit = 3;

/**
 * Rows as the text of a JSON array in the binary form of a jsonb parameter. They
 * wait outside of the heap: as objects or strings they would be copied from
 * generation to generation by the garbage collector until they are written.
 */
export class RowSlab {
  #bytes = Buffer.allocUnsafeSlow(slabBytes);
  #used = 0;
  #rows = 0;

  get isFull(): boolean {
    return this.#rows >= rowsAtMost;
  }

  get isEmpty(): boolean {
    return this.#rows === 0;
  }

  /** Adds the JSON text of a row; false: there is no room for it. */
  add(row: string): boolean {
    const needed = row.length * bytesPerUnit + 3;
    if (this.#used + needed > this.#bytes.length) {
      if (!this.isEmpty) return false;
      this.#bytes = Buffer.allocUnsafeSlow(needed + 3);
    }
    if (this.isEmpty) this.#used = this.#bytes.writeUInt8(jsonbVersion, 0);
    this.#used += this.#bytes.write(this.isEmpty ? "[" : ",", this.#used);
    this.#used += this.#bytes.write(row, this.#used);
    this.#rows += 1;
    return true;
  }

  /** The parameter; valid until rows are added again. */
  parameter(): Buffer {
    const end = this.#used + this.#bytes.write("]", this.#used);
    return this.#bytes.subarray(0, end);
  }

  /** Empties it for other rows. */
  clear(): void {
    this.#used = 0;
    this.#rows = 0;
  }
}

/** A parameter for each row of one for all. */
export function separateRows(parameter: Buffer): readonly Buffer[] {
  const rows: unknown = JSON.parse(parameter.toString("utf8", 1));
  return Array.isArray(rows) ? rows.map(parameterOf) : [];
}

function parameterOf(row: unknown): Buffer {
  return Buffer.from(`${String.fromCharCode(jsonbVersion)}${JSON.stringify([row])}`);
}

import {
  DependencyFileSyntaxError,
  type ManifestParseBudget,
} from "../../manifest/dependency-file.ts";

/** Characters that part the entries of every format: no text has more entries. */
const separators = /[\n\r\v\f\x1C-\x1E\x85\u2028\u2029,{[<]/g; // oxlint-disable-line no-control-regex -- Python ends lines at these
/** Of one file: parsing an entry takes about 300 bytes of memory. */
const maxFileEntries = 2_000_000;

/** What one audit reads at most, of all paths of its command line together. */
const limits = {
  /** Files of known names that are found in folders. */
  files: 10_000,
  /** Files that others refer to, also those that do not exist. */
  references: 100_000,
  bytes: 256 * 1024 * 1024,
  /** Lines, commas and opening brackets. */
  entries: 10_000_000,
  /** Packages and unparsed texts. Each takes about 2 KB of memory until the report is written. */
  rows: 300_000,
  /** Elements of poms that are read again, with the values of a profile or a child. */
  repeats: 8_000_000,
};

/** What is left of the limits of one audit. The audited files are a stranger's: without a limit of the whole, many files that are each within theirs take hours. */
export class DependencyAuditReadBudget implements ManifestParseBudget {
  readonly #limits: typeof limits;
  readonly #left: typeof limits;

  constructor(lower: Partial<typeof limits> = {}) {
    this.#limits = { ...limits, ...lower };
    this.#left = { ...this.#limits };
  }

  /** The number of rows that are left. */
  get rowsLeft(): number {
    return this.#left.rows;
  }

  /** Takes one file or reference. Throws `DependencyFileSyntaxError` when none is left. */
  take(kind: "files" | "references"): void {
    this.#assertLeft(kind);
    this.#left[kind] -= 1;
  }

  /** Throws `DependencyFileSyntaxError` when there is nothing left to read a file with. */
  assertReadable(): void {
    this.#assertLeft("bytes");
    this.#assertLeft("entries");
    this.#assertLeft("rows");
  }

  takeRows(count: number): number {
    const taken = Math.min(count, this.#left.rows);
    this.#left.rows -= taken;
    return taken;
  }

  takeRepeats(count: number): boolean {
    if (count > this.#left.repeats) return false;
    this.#left.repeats -= count;
    return true;
  }

  /** Takes a text that was read. Throws `DependencyFileSyntaxError` when it alone has too many entries. */
  takeText(text: string): void {
    this.#left.bytes -= Buffer.byteLength(text);
    const entries = countEntries(text);
    if (entries > maxFileEntries) {
      throw new DependencyFileSyntaxError(
        `too_large: it has more than ${maxFileEntries.toString()} lines, commas and brackets`,
      );
    }
    this.#left.entries -= entries;
  }

  #assertLeft(kind: keyof typeof limits): void {
    if (this.#left[kind] > 0) return;
    throw new DependencyFileSyntaxError(
      `too_many: ${this.#limits[kind].toString()} ${kind} of this audit were read before it`,
    );
  }
}

function countEntries(text: string): number {
  let count = 0;
  separators.lastIndex = 0;
  while (count <= maxFileEntries && separators.test(text)) count += 1;
  return count;
}

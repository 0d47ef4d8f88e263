import type { Answer } from "../fuzz-case.ts";

const columns = ["2xx", "3xx", "4xx", "503", "other 5xx", "no answer"] as const;

/** How many cases of a protocol were sent, and how they were answered. */
export class Tally {
  cases = 0;
  readonly #counts = new Map<string, number>();

  add({ statuses }: Answer): void {
    this.cases += 1;
    if (statuses.length === 0) this.#count("no answer");
    for (const status of statuses) this.#count(columnOf(status));
  }

  /** In the order of `tallyColumns`. */
  get counts(): readonly number[] {
    return columns.map((column) => this.#counts.get(column) ?? 0);
  }

  #count(column: string): void {
    this.#counts.set(column, (this.#counts.get(column) ?? 0) + 1);
  }
}

export const tallyColumns: readonly string[] = columns;

function columnOf(status: number): string {
  if (status === 503) return "503";
  return status >= 500 ? "other 5xx" : `${Math.floor(status / 100)}xx`;
}

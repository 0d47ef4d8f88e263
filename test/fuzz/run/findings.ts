import type { FuzzCase } from "../fuzz-case.ts";
import type { Protocol } from "../generators/all-protocols.ts";

/** Where a case stands in a run; with the seed, all that is needed to make it again. */
export interface CasePlace {
  readonly protocol: Protocol;
  readonly batch: number;
  /** Undefined: which case of the batch it was is not known. */
  readonly index?: number | undefined;
}

/** A fault with the first case that showed it. */
export interface Finding {
  readonly place: CasePlace;
  /** What was seen. */
  readonly fault: string;
  /** What the server's log says of it. */
  readonly cause: string;
  /** The first case that showed it. */
  readonly example: FuzzCase | undefined;
  /** How many cases showed it. */
  count: number;
}

/** Faults of a run, each cause once. */
export class Findings {
  readonly #byCause = new Map<string, Finding>();

  get all(): readonly Finding[] {
    return [...this.#byCause.values()];
  }

  has(cause: string): boolean {
    return this.#byCause.has(cause);
  }

  add(found: Omit<Finding, "count">): void {
    const known = this.#byCause.get(found.cause);
    if (known === undefined) this.#byCause.set(found.cause, { ...found, count: 1 });
    else known.count += 1;
  }
}

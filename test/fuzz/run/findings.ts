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

  readonly #tell: (finding: Finding) => void;

  /** Each cause is told when it is first seen. */
  constructor(tell: (finding: Finding) => void) {
    this.#tell = tell;
  }

  get all(): readonly Finding[] {
    return [...this.#byCause.values()];
  }

  has(cause: string): boolean {
    return this.#byCause.has(cause);
  }

  add(found: Omit<Finding, "count">): void {
    const known = this.#byCause.get(found.cause);
    if (known !== undefined) {
      known.count += 1;
      return;
    }
    const finding = { ...found, count: 1 };
    this.#byCause.set(found.cause, finding);
    this.#tell(finding);
  }
}

import { aspects, type Aspect, type Facts } from "./facts.ts";

/** How many facts there were, how many were found, and how many of these were right. */
interface Tally {
  true: number;
  found: number;
  right: number;
}

/** Counts facts of several documents. */
export class Score {
  readonly #tallies = new Map<Aspect, Tally>(
    aspects.map((aspect) => [aspect, { true: 0, found: 0, right: 0 }]),
  );
  #leaks = 0;

  add(truth: Facts, found: Facts, leaks: number): void {
    this.#leaks += leaks;
    for (const [aspect, tally] of this.#tallies) {
      tally.true += truth[aspect].size;
      tally.found += found[aspect].size;
      tally.right += [...found[aspect]].filter((fact) => truth[aspect].has(fact)).length;
    }
  }

  /** Values of the traffic that stood in a document. */
  get leaks(): number {
    return this.#leaks;
  }

  /** Harmonic mean of precision and recall, 0 to 1. */
  f1(aspect: Aspect): number {
    const tally = this.#tallies.get(aspect);
    if (tally === undefined || tally.true + tally.found === 0) return 0;
    return (2 * tally.right) / (tally.true + tally.found);
  }
}

import { performance } from "node:perf_hooks";

/** Failures in a row after which an upstream is left alone. */
const maxFailures = 5;

/** How long it is left alone before one call tries again. */
const openMs = 5000;

/**
 * Leaves an upstream alone that one account could not reach several times in a row, so
 * that its callers hear so at once. After a rest one call tries; if it fails the
 * rest begins again. An answer, whatever its status, closes the circuit.
 */
export class CircuitBreaker {
  readonly #now: () => number;
  #failures = 0;
  #openUntil = 0;

  /** `now`: milliseconds of a clock that never goes back. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** A call that could not be made, its retries included. */
  fail(): void {
    this.#failures += 1;
    if (this.#failures >= maxFailures) this.#openUntil = this.#now() + openMs;
  }

  /** The upstream has answered. */
  succeed(): void {
    this.#failures = 0;
    this.#openUntil = 0;
  }

  /** Whether calls fail at once now; asking changes nothing. */
  get isOpenNow(): boolean {
    return this.#openUntil !== 0 && this.#now() < this.#openUntil;
  }

  /** Whether a call is to fail at once. The first after the rest is let through alone. */
  isOpen(): boolean {
    if (this.#openUntil === 0) return false;
    if (this.isOpenNow) return true;
    this.#openUntil = this.#now() + openMs;
    return false;
  }

  /** Whole seconds until a call is tried again, at least one. */
  opensInSeconds(): number {
    return Math.max(1, Math.ceil((this.#openUntil - this.#now()) / 1000));
  }
}

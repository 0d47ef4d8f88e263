import type { RestReason, TargetRest } from "../../kernel/target-rest.ts";
import type { Clock } from "../../platform/clock.ts";

/** Failures in a row after which a target rests. */
const failuresAtMost = 5;

/** How long it rests then. */
const restAfterFailuresMs = 10_000;

/** How much the last call counts in the average of all. */
const shareOfLast = 0.2;

/** Hears that a target rests for its failures, and for how many milliseconds. */
export type CameToRest = (target: PooledTarget, milliseconds: number) => void;

/** What one process has learned of a target of an account's aliases. */
export class PooledTarget {
  readonly accountId: string;
  /** Canonical id of its model. */
  readonly canonicalId: string;
  readonly #clock: Clock;
  readonly #cameToRest: CameToRest;
  #failures = 0;
  #rest: TargetRest | undefined;
  #firstByteMs: number | undefined;

  constructor(accountId: string, canonicalId: string, clock: Clock, cameToRest: CameToRest) {
    this.accountId = accountId;
    this.canonicalId = canonicalId;
    this.#clock = clock;
    this.#cameToRest = cameToRest;
  }

  /** Moving average of the milliseconds from a dial to the first byte; undefined: it has not answered yet. */
  get firstByteMs(): number | undefined {
    return this.#firstByteMs;
  }

  /** Undefined: it does not rest. */
  get rest(): TargetRest | undefined {
    return this.#rest !== undefined && this.#clock.now() < this.#rest.until
      ? this.#rest
      : undefined;
  }

  /**
   * It is dialled. After a rest for failures that one call goes alone: the others
   * pass it over until it is known what became of it.
   */
  dialled(): void {
    if (this.#failures >= failuresAtMost && this.rest === undefined) this.#restForFailures();
  }

  heard(milliseconds: number): void {
    const before = this.#firstByteMs ?? milliseconds;
    this.#firstByteMs = before + shareOfLast * (milliseconds - before);
  }

  /** What its vendor asked for, and other calls heard, is kept to all the same. */
  served(): void {
    this.#failures = 0;
    if (this.#rest?.reason === "failing") this.#rest = undefined;
  }

  failed(): void {
    this.#failures += 1;
    if (this.#failures >= failuresAtMost) this.#restForFailures();
  }

  /** It has answered to something else than a call: calls try it again, and the first failure is one too many. */
  answered(): void {
    if (this.#rest?.reason !== "failing") return;
    this.#rest = undefined;
    this.#failures = failuresAtMost - 1;
  }

  /** Lasts until the end of the longer one where it rests already. */
  restFor(milliseconds: number, reason: RestReason): void {
    const now = this.#clock.now();
    const until = now + milliseconds;
    const present = this.rest;
    if (present !== undefined && present.until >= until) return;
    this.#rest = { since: present?.since ?? now, until, reason };
  }

  #restForFailures(): void {
    this.restFor(restAfterFailuresMs, "failing");
    this.#cameToRest(this, restAfterFailuresMs);
  }
}

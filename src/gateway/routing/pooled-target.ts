import type { CooldownReason, TargetCooldown } from "../../domain/target-cooldown.ts";
import type { Clock } from "../../platform/clock.ts";

/** Failures in a row after which a target rests. */
const maxFailures = 5;

/** How long it rests then. */
const failureCooldownMs = 10_000;

/** How much the last call counts in the average of all. */
const smoothingFactor = 0.2;

/** Hears that a target rests for its failures, and for how many milliseconds. */
export type CooldownStartListener = (target: TargetHealth, milliseconds: number) => void;

/** What one process has learned of a target of an account's aliases. */
export class TargetHealth {
  readonly accountId: string;
  /** Canonical id of its model. */
  readonly canonicalId: string;
  readonly #clock: Clock;
  readonly #onCooldown: CooldownStartListener;
  #failures = 0;
  #cooldown: TargetCooldown | undefined;
  #firstByteMs: number | undefined;

  constructor(
    accountId: string,
    canonicalId: string,
    clock: Clock,
    cameToRest: CooldownStartListener,
  ) {
    this.accountId = accountId;
    this.canonicalId = canonicalId;
    this.#clock = clock;
    this.#onCooldown = cameToRest;
  }

  /** Moving average of the milliseconds from a dial to the first byte; undefined: it has not answered yet. */
  get firstByteMs(): number | undefined {
    return this.#firstByteMs;
  }

  /** Undefined: it does not rest. */
  get cooldown(): TargetCooldown | undefined {
    return this.#cooldown !== undefined && this.#clock.now() < this.#cooldown.until
      ? this.#cooldown
      : undefined;
  }

  /**
   * It is dialled. After a rest for failures that one call goes alone: the others
   * pass it over until it is known what became of it.
   */
  onRequest(): void {
    if (this.#failures >= maxFailures && this.cooldown === undefined) this.#coolDownAfterFailures();
  }

  onFirstByte(milliseconds: number): void {
    const before = this.#firstByteMs ?? milliseconds;
    this.#firstByteMs = before + smoothingFactor * (milliseconds - before);
  }

  /** What its vendor asked for, and other calls heard, is kept to all the same. */
  onServed(): void {
    this.#failures = 0;
    if (this.#cooldown?.reason === "failing") this.#cooldown = undefined;
  }

  onFailed(): void {
    this.#failures += 1;
    if (this.#failures >= maxFailures) this.#coolDownAfterFailures();
  }

  /** It has answered to something else than a call: calls try it again, and the first failure is one too many. */
  onAnswered(): void {
    if (this.#cooldown?.reason !== "failing") return;
    this.#cooldown = undefined;
    this.#failures = maxFailures - 1;
  }

  /** Lasts until the end of the longer one where it rests already. */
  coolDown(milliseconds: number, reason: CooldownReason): void {
    const now = this.#clock.now();
    const until = now + milliseconds;
    const present = this.cooldown;
    if (present !== undefined && present.until >= until) return;
    this.#cooldown = { since: present?.since ?? now, until, reason };
  }

  #coolDownAfterFailures(): void {
    this.coolDown(failureCooldownMs, "failing");
    this.#onCooldown(this, failureCooldownMs);
  }
}

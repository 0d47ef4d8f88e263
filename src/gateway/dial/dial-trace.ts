import { performance } from "node:perf_hooks";
import type { CallAttempt } from "../../kernel/kept-call.ts";
import type { DialFailure } from "../../platform/dial/dial-failure.ts";
import type { Plan } from "../routing/plan.ts";

/** One dial that has been made. Times are those of `performance.now()`. */
export interface Attempt {
  readonly plan: Plan;
  readonly dialledAt: number;
  /** The first dial of this target: that of a retry is an earlier one. */
  readonly askedAt: number;
  status: number | undefined;
  failure: DialFailure | undefined;
  /** What the upstream says has answered. */
  model: string | undefined;
  /** The first byte of its body; 0: not yet. */
  heardAt: number;
  /** 0: it goes on. */
  endedAt: number;
}

/** What the dials of one call took. Times are those of `performance.now()`; 0: not yet. */
export class DialTrace {
  #attempts: readonly Attempt[] = [];
  #last: Attempt | undefined;
  /** The first dial. */
  dialledAt = 0;
  /** The first byte of a body. */
  firstByteAt = 0;
  /** The end of the last answer. */
  endedAt = 0;

  get attempts(): number {
    return this.#attempts.length;
  }

  /** Of the answer to the last dial; undefined: none has begun. */
  get status(): number | undefined {
    return this.#last?.status;
  }

  /** Kind of the failure of the last dial; undefined: none, or of no known kind. */
  get failure(): DialFailure | undefined {
    return this.#last?.failure;
  }

  dialled(plan: Plan, now: number): void {
    this.#endLast(now);
    const last = this.#last;
    this.#last = {
      plan,
      dialledAt: now,
      askedAt: last?.plan === plan ? last.askedAt : now,
      status: undefined,
      failure: undefined,
      model: undefined,
      heardAt: 0,
      endedAt: 0,
    };
    this.#attempts = [...this.#attempts, this.#last];
    this.dialledAt ||= now;
  }

  answered(status: number): void {
    if (this.#last !== undefined) this.#last.status = status;
  }

  /** Milliseconds since the last dial, when this is the first byte of its answer; undefined: it is a later one. */
  heard(now: number): number | undefined {
    this.firstByteAt ||= now;
    if (this.#last === undefined || this.#last.heardAt !== 0) return undefined;
    this.#last.heardAt = now;
    return now - this.#last.dialledAt;
  }

  /** The upstream has named the model that answers. */
  answeredBy(model: string | undefined): void {
    if (this.#last !== undefined) this.#last.model = model;
  }

  failed(kind: DialFailure | undefined, now: number): void {
    if (this.#last === undefined) return;
    this.#last.failure = kind;
    this.#endLast(now);
  }

  /** What was heard so far is no answer: another target is dialled next. */
  goElsewhere(): void {
    this.firstByteAt = 0;
  }

  ended(now: number): void {
    this.endedAt = now;
    this.#endLast(now);
  }

  /** The dials in the order in which they were made, as they are told. */
  printAttempts(): readonly CallAttempt[] {
    return this.#attempts.map(({ plan, status, failure, dialledAt, endedAt }) => ({
      target: plan.canonicalId,
      status,
      failure,
      ms: (endedAt || performance.now()) - dialledAt,
    }));
  }

  /** The last dial of each target, in the order in which they were made. */
  lastOfTargets(): readonly Attempt[] {
    return this.#attempts.filter(({ plan }, at, all) => all[at + 1]?.plan !== plan);
  }

  #endLast(now: number): void {
    if (this.#last !== undefined) this.#last.endedAt ||= now;
  }
}

import { performance } from "node:perf_hooks";
import type { CallAttempt } from "../../domain/call-log-entry.ts";
import type { DialFailure } from "../../platform/dial/dial-failure.ts";
import type { PlannedCallTarget } from "../routing/plan.ts";

/** One dial that has been made. Times are those of `performance.now()`. */
export interface UpstreamAttempt {
  readonly plan: PlannedCallTarget;
  readonly sentAt: number;
  /** The first dial of this target: that of a retry is an earlier one. */
  readonly firstSentAt: number;
  /** Its request went out on a connection. */
  isSent: boolean;
  status: number | undefined;
  failure: DialFailure | undefined;
  /** What the upstream says has answered. */
  model: string | undefined;
  /** The first byte of its body; 0: not yet. */
  firstByteAt: number;
  /** 0: it goes on. */
  endedAt: number;
}

/** What the dials of one call took. Times are those of `performance.now()`; 0: not yet. */
export class CallAttemptsTrace {
  #attempts: readonly UpstreamAttempt[] = [];
  #last: UpstreamAttempt | undefined;
  /** The first dial. */
  sentAt = 0;
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

  /** The last dial's upstream has the request, and has neither refused it nor failed. */
  get isUpstreamWorking(): boolean {
    if (this.#last === undefined) return false;
    const { isSent, failure, status = 0 } = this.#last;
    return isSent && failure === undefined && status < 400;
  }

  onRequest(plan: PlannedCallTarget, now: number): void {
    this.#endLast(now);
    const last = this.#last;
    this.#last = {
      plan,
      sentAt: now,
      firstSentAt: last?.plan === plan ? last.firstSentAt : now,
      isSent: false,
      status: undefined,
      failure: undefined,
      model: undefined,
      firstByteAt: 0,
      endedAt: 0,
    };
    this.#attempts = [...this.#attempts, this.#last];
    this.sentAt ||= now;
  }

  onSent(): void {
    if (this.#last !== undefined) this.#last.isSent = true;
  }

  onResponse(status: number): void {
    if (this.#last !== undefined) this.#last.status = status;
  }

  /** Milliseconds since the last dial, when this is the first byte of its answer; undefined: it is a later one. */
  onFirstByte(now: number): number | undefined {
    this.firstByteAt ||= now;
    if (this.#last === undefined || this.#last.firstByteAt !== 0) return undefined;
    this.#last.firstByteAt = now;
    return now - this.#last.sentAt;
  }

  /** The upstream has named the model that answers. */
  setModel(model: string | undefined): void {
    if (this.#last !== undefined) this.#last.model = model;
  }

  failed(kind: DialFailure | undefined, now: number): void {
    if (this.#last === undefined) return;
    this.#last.failure = kind;
    this.#endLast(now);
  }

  /** What was heard so far is no answer: another target is dialled next. */
  onFailover(): void {
    this.firstByteAt = 0;
  }

  ended(now: number): void {
    this.endedAt = now;
    this.#endLast(now);
  }

  /** The dials in the order in which they were made, as they are told. */
  toCallAttempts(): readonly CallAttempt[] {
    return this.#attempts.map(({ plan, status, failure, sentAt: dialledAt, endedAt }) => ({
      target: plan.canonicalId,
      status,
      failure,
      ms: (endedAt || performance.now()) - dialledAt,
    }));
  }

  /** The last dial of each target, in the order in which they were made. */
  lastOfTargets(): readonly UpstreamAttempt[] {
    return this.#attempts.filter(({ plan }, at, all) => all[at + 1]?.plan !== plan);
  }

  #endLast(now: number): void {
    if (this.#last !== undefined) this.#last.endedAt ||= now;
  }
}

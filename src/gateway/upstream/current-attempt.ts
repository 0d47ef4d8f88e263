import type { CallProgress } from "../call/call-progress.ts";
import type { ReservedAttempt } from "../call/reserve-attempt.ts";
import type { PlannedCallTarget } from "../routing/plan.ts";
import type { ResolvedUpstream } from "./call-target.ts";
import type { OutboundRequest } from "./outbound-request.ts";

/** Where a call is dialled, and what is dialled there next. */
export class CurrentAttempt {
  readonly #progress: CallProgress;
  #plan: PlannedCallTarget;
  #outbound: OutboundRequest;
  #next: OutboundRequest | undefined;

  constructor({ call, outbound }: ReservedAttempt, progress: CallProgress) {
    this.#outbound = outbound;
    this.#plan = call.plan;
    this.#progress = progress;
    progress.call = call;
  }

  /** By which it is dialled now. */
  get plan(): PlannedCallTarget {
    return this.#plan;
  }

  /** What is dialled now. */
  get outbound(): OutboundRequest {
    return this.#outbound;
  }

  /** Whom it is dialled at. */
  get target(): ResolvedUpstream {
    return this.#outbound.target;
  }

  /** Something else is to be dialled when the answer that comes in has ended. */
  get hasFollowUp(): boolean {
    return this.#next !== undefined;
  }

  /** To be dialled next, at the same target. */
  setFollowUp(outbound: OutboundRequest): void {
    this.#next = outbound;
  }

  /** What was to be dialled next is dialled now. */
  startFollowUp(): void {
    this.#outbound = this.#next ?? this.#outbound;
    this.#next = undefined;
  }

  /** Another route is dialled now. */
  switchTarget({ call, outbound }: ReservedAttempt): void {
    this.#progress.call = call;
    this.#plan = call.plan;
    this.#outbound = outbound;
    this.#next = undefined;
  }
}

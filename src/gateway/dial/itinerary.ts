import type { CallProgress } from "../call/call-progress.ts";
import type { ReservedRoute } from "../call/reserve-route.ts";
import type { Plan } from "../routing/plan.ts";
import type { CallTarget } from "./call-target.ts";
import type { Outbound } from "./outbound.ts";

/** Where a call is dialled, and what is dialled there next. */
export class Itinerary {
  readonly #progress: CallProgress;
  #plan: Plan;
  #outbound: Outbound;
  #next: Outbound | undefined;

  constructor({ call, outbound }: ReservedRoute, progress: CallProgress) {
    this.#outbound = outbound;
    this.#plan = call.plan;
    this.#progress = progress;
    progress.call = call;
  }

  /** By which it is dialled now. */
  get plan(): Plan {
    return this.#plan;
  }

  /** What is dialled now. */
  get outbound(): Outbound {
    return this.#outbound;
  }

  /** Whom it is dialled at. */
  get target(): CallTarget {
    return this.#outbound.target;
  }

  /** Something else is to be dialled when the answer that comes in has ended. */
  get goesOn(): boolean {
    return this.#next !== undefined;
  }

  /** To be dialled next, at the same target. */
  goOnWith(outbound: Outbound): void {
    this.#next = outbound;
  }

  /** What was to be dialled next is dialled now. */
  advance(): void {
    this.#outbound = this.#next ?? this.#outbound;
    this.#next = undefined;
  }

  /** Another route is dialled now. */
  goElsewhere({ call, outbound }: ReservedRoute): void {
    this.#progress.call = call;
    this.#plan = call.plan;
    this.#outbound = outbound;
    this.#next = undefined;
  }
}

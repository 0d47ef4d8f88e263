import type { CallProgress } from "../call/call-progress.ts";
import type { NextRoute, PreparedRoute } from "../call/next-route.ts";
import type { DialTarget } from "./dial-target.ts";
import type { Outbound } from "./outbound.ts";

/** Where a call is dialled, and where it goes on to when that does not serve it. */
export class Itinerary {
  readonly #progress: CallProgress;
  readonly #nextRoute: NextRoute;
  #outbound: Outbound;
  #next: Outbound | undefined;

  constructor(first: PreparedRoute, nextRoute: NextRoute, progress: CallProgress) {
    this.#outbound = first.outbound;
    this.#nextRoute = nextRoute;
    this.#progress = progress;
  }

  /** What is dialled now. */
  get outbound(): Outbound {
    return this.#outbound;
  }

  /** Whom it is dialled at. */
  get target(): DialTarget {
    return this.#outbound.target;
  }

  /** Something else is to be dialled when the answer that comes in has ended. */
  get goesOn(): boolean {
    return this.#next !== undefined;
  }

  /** To be dialled next. */
  goOnWith(outbound: Outbound): void {
    this.#next = outbound;
  }

  /** Goes on with another of the caller's own routes; false: there is none. */
  goElsewhere(): boolean {
    const route = this.#nextRoute();
    if (route === undefined) return false;
    this.#progress.call = route.call;
    this.#next = route.outbound;
    return true;
  }

  /** What was to be dialled next is dialled now; true: at another target. */
  advance(): boolean {
    const { target } = this;
    this.#outbound = this.#next ?? this.#outbound;
    this.#next = undefined;
    return this.target !== target;
  }
}

import { ApiError } from "../../platform/errors.ts";
import {
  openMemoryReservationScope,
  type MemoryReservationScope,
} from "../../platform/hold-memory.ts";
import {
  catchMaybePromise,
  runMaybePromiseReportingErrors,
  chainMaybePromise,
  type MaybePromise,
} from "../../platform/maybe-promise.ts";
import { getUpstreamTarget } from "../upstream/call-target.ts";
import { isFailoverStatus } from "../upstream/retry-rules.ts";
import type { RoutingCandidate, RoutingDecision } from "../routing/order-candidates.ts";
import type { PlannedCall } from "../routing/plan-call.ts";
import { updateTargetHealth, classifyTargetFailure } from "../routing/failover-decision.ts";
import type { TranscodeDependencies } from "../transcode/prepare-transcode.ts";
import type { CallerResponse } from "./caller-response.ts";
import type { CallReservation } from "./call-reservation.ts";
import type { CallFailure } from "./call-failure.ts";
import type { CallProgress } from "./call-progress.ts";
import type { ModelCall, RoutedCall } from "./model-call.ts";
import { prepareAttempt } from "./prepare-attempt.ts";
import type { CallRequestBody } from "./read-call-body.ts";
import {
  reserveAttemptCredits,
  type CreditsReservationDependencies,
  type ReservedAttempt,
} from "./reserve-attempt.ts";
import { settleFailedAttempt } from "./settle-call.ts";

/** What routes are made with. */
export interface TargetSequenceDependencies extends CreditsReservationDependencies {
  readonly transcoding: TranscodeDependencies;
  /** Notes what will be dialled, for whoever goes on with the call; undefined: nobody will. */
  readonly recordIntent?: (route: ReservedAttempt) => Promise<void>;
}

/**
 * The ways of one call to its upstreams, each taken once: the first, and the others
 * while those before them fail and the caller has heard nothing.
 */
export class TargetSequence {
  readonly #dependencies: TargetSequenceDependencies;
  readonly #progress: CallProgress;
  readonly #response: CallerResponse;
  readonly #call: ModelCall;
  /** Let go with the last route. */
  #body: CallRequestBody | undefined;
  readonly #remaining: RoutingCandidate[];
  readonly #refusal: RoutingDecision["error"];
  #current: RoutingCandidate | undefined;
  /** Memory of the present attempt, without the body. */
  #held: MemoryReservationScope | undefined;
  #bill: CallReservation | undefined;
  #isOver = false;

  constructor(
    dependencies: TargetSequenceDependencies,
    { call, body, decision }: PlannedCall,
    progress: CallProgress,
    answer: CallerResponse,
  ) {
    this.#dependencies = dependencies;
    this.#call = call;
    this.#body = body;
    this.#remaining = [...decision.candidates];
    this.#refusal = decision.error;
    this.#progress = progress;
    this.#response = answer;
    progress.skipped = decision.skipped;
  }

  /** What the route that is taken may cost; undefined: nothing. */
  get reservation(): CallReservation | undefined {
    return this.#bill;
  }

  /** The routes are targets of an alias: none is dialled again after a failure. */
  get isPool(): boolean {
    return this.#current?.pooled !== undefined;
  }

  /** It matters to other routes, or to later calls, that the one which is taken fails. */
  get hasAlternatives(): boolean {
    return this.isPool || this.#remaining.length > 0;
  }

  /** The first that can be taken. Throws the refusal of the first there is, or that there is none. */
  first(): MaybePromise<ReservedAttempt> {
    const first = this.#take();
    if (first === undefined) throw this.#refusal ?? new Error("A call has no route.");
    const call = { ...this.#call, plan: first.plan };
    this.#progress.call = call;
    if (this.#remaining.length === 0) return this.#reserve(call);
    return catchMaybePromise(
      () => this.#reserve(call),
      (error) => this.#afterRejected(first, error),
    );
  }

  /**
   * The next that can be taken; undefined: there is none. Rejects with the 402 of one that
   * nobody can pay, which is the answer.
   */
  async next(): Promise<ReservedAttempt | undefined> {
    for (let next = this.#take(); next !== undefined; next = this.#take()) {
      const route = await this.#tryNext(next);
      if (this.#isOver) this.#releaseReservation();
      else if (route !== undefined) return route;
    }
    return undefined;
  }

  /**
   * The route that was taken has failed, and its caller has heard nothing; `status`
   * is that of its upstream's answer. True: another may serve the call.
   */
  failed(cause: CallFailure, status: number | undefined): boolean {
    const { pooled } = this.#current ?? {};
    if (pooled === undefined)
      return this.#remaining.length > 0 && isServableElsewhere(cause, status);
    this.#releaseReservation();
    const verdict = classifyTargetFailure(cause, status, this.#dependencies.clock.now());
    updateTargetHealth(pooled, verdict);
    return this.#remaining.length > 0 && verdict.kind !== "final";
  }

  onRequest(): void {
    this.#current?.pooled?.onRequest();
  }

  /** The first byte has come. */
  onFirstByte(milliseconds: number): void {
    this.#current?.pooled?.onFirstByte(milliseconds);
  }

  /** The caller has the whole answer of the route that was taken. */
  onServed(): void {
    this.#current?.pooled?.onServed();
  }

  /** The call is over: nothing more is taken. */
  end(): void {
    this.#isOver = true;
  }

  #take(): RoutingCandidate | undefined {
    if (this.#isOver) return undefined;
    const next = this.#remaining.shift();
    if (next !== undefined) this.#current = next;
    return next;
  }

  /** Undefined: it cannot carry this call, or has come to rest. */
  async #tryNext(next: RoutingCandidate): Promise<ReservedAttempt | undefined> {
    if (this.#isCoolingDown(next)) return undefined;
    const { warnings: losses } = this.#response;
    const call = { ...this.#call, plan: next.plan };
    try {
      return await this.#reserve(call);
    } catch (error) {
      if (isPaymentRequired(error)) {
        this.#progress.call = call;
        throw error;
      }
      if (!(error instanceof ApiError)) this.#dependencies.transcoding.reportInternalError(error);
      this.#response.warnings = losses;
      return undefined;
    }
  }

  #isCoolingDown({ plan, pooled }: RoutingCandidate): boolean {
    if (pooled === undefined) {
      const { circuits } = getUpstreamTarget(plan.target);
      return circuits.get(this.#call.key.principal.accountId).breaker.isOpenNow;
    }
    if (pooled.cooldown === undefined) return false;
    const skipped = { target: plan.canonicalId, reason: "resting" } as const;
    this.#progress.skipped = [...this.#progress.skipped, skipped];
    return true;
  }

  #reserve(routed: RoutedCall): MaybePromise<ReservedAttempt> {
    const { transcoding } = this.#dependencies;
    // Nothing of the route before is in memory any longer.
    this.#held?.giveBack();
    this.#held = openMemoryReservationScope(routed.hold);
    const call = { ...routed, hold: this.#held.hold };
    const prepared = prepareAttempt(transcoding, call, this.#bodyToSend(), this.#response);
    const reserved = chainMaybePromise(prepared, (route) =>
      reserveAttemptCredits(this.#dependencies, route, this.#response, this.isPool),
    );
    return chainMaybePromise(reserved, (route) => {
      this.#bill = route.reservation;
      const intended = this.#dependencies.recordIntent?.(route);
      return intended === undefined ? route : intended.then(() => route);
    });
  }

  #bodyToSend(): CallRequestBody {
    const body = this.#body;
    if (body === undefined) throw new Error("The last route of a call has its body.");
    if (this.#remaining.length === 0) this.#body = undefined;
    return body;
  }

  /**
   * The first could not be made ready: where that is its own failure another may serve, and
   * among targets of an alias one that can carry what it cannot.
   */
  async #afterRejected({ pooled }: RoutingCandidate, error: unknown): Promise<ReservedAttempt> {
    if (!(error instanceof ApiError) || isPaymentRequired(error)) throw error;
    if (pooled === undefined && error.status < 500) throw error;
    if (error.code === "upstream_unreachable") pooled?.onFailed();
    const route = await this.next();
    if (route === undefined) throw error;
    return route;
  }

  /** Of a route that failed, or that nobody waits for any more. */
  #releaseReservation(): void {
    const bill = this.#bill;
    this.#bill = undefined;
    if (bill === undefined) return;
    const { reportInternalError: reportFault } = this.#dependencies.transcoding;
    runMaybePromiseReportingErrors(() => settleFailedAttempt(bill, this.#response), reportFault);
  }
}

function isPaymentRequired(error: unknown): boolean {
  return error instanceof ApiError && error.code === "byo_url";
}

/** Whether a failed route of a bare id leads to the next: it could not be reached, or is busy or in trouble. */
function isServableElsewhere({ status: told, catalogueCode }: CallFailure, status = 0): boolean {
  return isFailoverStatus(told) && (status >= 400 || catalogueCode === "upstream_unreachable");
}

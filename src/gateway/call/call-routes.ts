import { ApiError } from "../../platform/errors.ts";
import { rescueWarm, tryWarm, whenWarm, type Warm } from "../../platform/warm.ts";
import { callTargetOf } from "../dial/call-target.ts";
import { isPassing } from "../dial/retry-rules.ts";
import type { Candidate, RouteDecision } from "../routing/decide-route.ts";
import type { PlannedCall } from "../routing/plan-call.ts";
import { learnVerdict, verdictOf } from "../routing/verdict.ts";
import type { TranscodeDependencies } from "../transcode/prepare-transcode.ts";
import type { Answer } from "./answer.ts";
import type { Bill } from "./bill.ts";
import type { CallFailure } from "./call-failure.ts";
import type { CallProgress } from "./call-progress.ts";
import type { ModelCall, RoutedCall } from "./model-call.ts";
import { prepareRoute } from "./prepare-route.ts";
import type { CallBody } from "./read-call-body.ts";
import { reserveRoute, type Billing, type ReservedRoute } from "./reserve-route.ts";
import { settleFailedRoute } from "./settle-call.ts";

/** What routes are made with. */
export interface RouteDependencies extends Billing {
  readonly transcoding: TranscodeDependencies;
  /** Notes what will be dialled, for whoever goes on with the call; undefined: nobody will. */
  readonly intend?: (route: ReservedRoute) => Promise<void>;
}

/**
 * The ways of one call to its upstreams, each taken once: the first, and the others
 * while those before them fail and the caller has heard nothing.
 */
export class CallRoutes {
  readonly #dependencies: RouteDependencies;
  readonly #progress: CallProgress;
  readonly #answer: Answer;
  readonly #call: ModelCall;
  /** Let go with the last route. */
  #body: CallBody | undefined;
  readonly #left: Candidate[];
  readonly #refusal: RouteDecision["refusal"];
  #present: Candidate | undefined;
  #bill: Bill | undefined;
  #isOver = false;

  constructor(
    dependencies: RouteDependencies,
    { call, body, decision }: PlannedCall,
    progress: CallProgress,
    answer: Answer,
  ) {
    this.#dependencies = dependencies;
    this.#call = call;
    this.#body = body;
    this.#left = [...decision.candidates];
    this.#refusal = decision.refusal;
    this.#progress = progress;
    this.#answer = answer;
    progress.skipped = decision.skipped;
  }

  /** What the route that is taken may cost; undefined: nothing. */
  get bill(): Bill | undefined {
    return this.#bill;
  }

  /** The routes are targets of an alias: none is dialled again after a failure. */
  get isPool(): boolean {
    return this.#present?.pooled !== undefined;
  }

  /** It matters to other routes, or to later calls, that the one which is taken fails. */
  get mayFail(): boolean {
    return this.isPool || this.#left.length > 0;
  }

  /** The first that can be taken. Throws the refusal of the first there is, or that there is none. */
  first(): Warm<ReservedRoute> {
    const first = this.#take();
    if (first === undefined) throw this.#refusal ?? new Error("A call has no route.");
    const call = { ...this.#call, plan: first.plan };
    this.#progress.call = call;
    if (this.#left.length === 0) return this.#reserve(call);
    return rescueWarm(
      () => this.#reserve(call),
      (error) => this.#afterRefused(first, error),
    );
  }

  /**
   * The next that can be taken; undefined: there is none. Rejects with the 402 of one that
   * nobody can pay, which is the answer.
   */
  async next(): Promise<ReservedRoute | undefined> {
    for (let next = this.#take(); next !== undefined; next = this.#take()) {
      const route = await this.#tryNext(next);
      if (this.#isOver) this.#dropBill();
      else if (route !== undefined) return route;
    }
    return undefined;
  }

  /**
   * The route that was taken has failed, and its caller has heard nothing; `status`
   * is that of its upstream's answer. True: another may serve the call.
   */
  failed(cause: CallFailure, status: number | undefined): boolean {
    const { pooled } = this.#present ?? {};
    if (pooled === undefined) return this.#left.length > 0 && isElsewhere(cause, status);
    this.#dropBill();
    const verdict = verdictOf(cause, status, this.#dependencies.clock.now());
    learnVerdict(pooled, verdict);
    return this.#left.length > 0 && verdict.kind !== "final";
  }

  dialled(): void {
    this.#present?.pooled?.dialled();
  }

  /** The first byte has come. */
  heard(milliseconds: number): void {
    this.#present?.pooled?.heard(milliseconds);
  }

  /** The caller has the whole answer of the route that was taken. */
  served(): void {
    this.#present?.pooled?.served();
  }

  /** The call is over: nothing more is taken. */
  end(): void {
    this.#isOver = true;
  }

  #take(): Candidate | undefined {
    if (this.#isOver) return undefined;
    const next = this.#left.shift();
    if (next !== undefined) this.#present = next;
    return next;
  }

  /** Undefined: it cannot carry this call, or has come to rest. */
  async #tryNext(next: Candidate): Promise<ReservedRoute | undefined> {
    if (this.#rests(next)) return undefined;
    const { losses } = this.#answer;
    const call = { ...this.#call, plan: next.plan };
    try {
      return await this.#reserve(call);
    } catch (error) {
      if (isUnpaid(error)) {
        this.#progress.call = call;
        throw error;
      }
      if (!(error instanceof ApiError)) this.#dependencies.transcoding.reportFault(error);
      this.#answer.losses = losses;
      return undefined;
    }
  }

  #rests({ plan, pooled }: Candidate): boolean {
    if (pooled === undefined) return callTargetOf(plan.target).breaker.isResting;
    if (pooled.rest === undefined) return false;
    const skipped = { target: plan.canonicalId, reason: "resting" } as const;
    this.#progress.skipped = [...this.#progress.skipped, skipped];
    return true;
  }

  #reserve(call: RoutedCall): Warm<ReservedRoute> {
    const { transcoding } = this.#dependencies;
    const prepared = prepareRoute(transcoding, call, this.#bodyToSend(), this.#answer);
    const reserved = whenWarm(prepared, (route) =>
      reserveRoute(this.#dependencies, route, this.#answer, this.isPool),
    );
    return whenWarm(reserved, (route) => {
      this.#bill = route.bill;
      const intended = this.#dependencies.intend?.(route);
      return intended === undefined ? route : intended.then(() => route);
    });
  }

  #bodyToSend(): CallBody {
    const body = this.#body;
    if (body === undefined) throw new Error("The last route of a call has its body.");
    if (this.#left.length === 0) this.#body = undefined;
    return body;
  }

  /**
   * The first could not be made ready: where that is its own failure another may serve, and
   * among targets of an alias one that can carry what it cannot.
   */
  async #afterRefused({ pooled }: Candidate, error: unknown): Promise<ReservedRoute> {
    if (!(error instanceof ApiError) || isUnpaid(error)) throw error;
    if (pooled === undefined && error.status < 500) throw error;
    if (error.code === "upstream_unreachable") pooled?.failed();
    const route = await this.next();
    if (route === undefined) throw error;
    return route;
  }

  /** Of a route that failed, or that nobody waits for any more. */
  #dropBill(): void {
    const bill = this.#bill;
    this.#bill = undefined;
    if (bill === undefined) return;
    const { reportFault } = this.#dependencies.transcoding;
    tryWarm(() => settleFailedRoute(bill, this.#answer), reportFault);
  }
}

function isUnpaid(error: unknown): boolean {
  return error instanceof ApiError && error.code === "byo_url";
}

/** Whether a failed route of a bare id leads to the next: it could not be reached, or is busy or in trouble. */
function isElsewhere({ status: told, catalogueCode }: CallFailure, status = 0): boolean {
  return isPassing(told) && (status >= 400 || catalogueCode === "upstream_unreachable");
}

import type { IncomingHttpHeaders } from "node:http";
import { performance } from "node:perf_hooks";
import type { Answer, FailureJudge } from "../call/answer.ts";
import { failure, failureOf, type CallFailure } from "../call/call-failure.ts";
import type { CallLimits } from "../call/call-limits.ts";
import type { CallProgress } from "../call/call-progress.ts";
import type { CallWatch } from "../call/call-watch.ts";
import type { CallRoutes } from "../call/call-routes.ts";
import type { ReservedRoute } from "../call/reserve-route.ts";
import type { CallDialer, ReadDialFailure } from "../ports.ts";
import { RefusedToken } from "../relay/refused-token.ts";
import type { Stage } from "../relay/stage.ts";
import { Dial, type DialListener } from "./dial.ts";
import { brokenFailure, dialFailureOf, restingFailure, slowFailure } from "./dial-failures.ts";
import { withCredentialOf, type CallTarget } from "./call-target.ts";
import { DialTrace } from "./dial-trace.ts";
import { Itinerary } from "./itinerary.ts";
import { modelIn } from "./model-in.ts";
import type { Outbound } from "./outbound.ts";
import { Patience, type PatientExchange } from "./patience.ts";
import { renewToken } from "./renew-token.ts";
import { isTransient, retryDelay } from "./retry-rules.ts";

/** What every exchange works with. */
export interface ExchangeDependencies {
  readonly dialer: CallDialer;
  readonly dialFailure: ReadDialFailure;
  readonly limits: CallLimits;
  readonly watch: CallWatch;
}

/**
 * One call to its upstreams, from the first dial to the end of the answer: it
 * dials, hands the answer to the receiver that its head calls for, retries and goes
 * elsewhere while the caller has heard nothing, holds the upstream back while the
 * caller does not read, and cancels it when the caller is gone.
 */
export class UpstreamExchange implements DialListener, PatientExchange, FailureJudge {
  readonly trace = new DialTrace();
  readonly #dependencies: ExchangeDependencies;
  readonly #answer: Answer;
  readonly #routes: CallRoutes;
  readonly #itinerary: Itinerary;
  readonly #patience: Patience;
  /** Undefined between two dials. */
  #dial: Dial | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  /** A refused token is renewed once in a call. */
  #hasRenewed = false;
  /** What the route that was dialled failed with; another may serve the call, and its caller has heard nothing. */
  #left: CallFailure | undefined;
  #isOver = false;

  constructor(
    dependencies: ExchangeDependencies,
    first: ReservedRoute,
    routes: CallRoutes,
    progress: CallProgress,
    answer: Answer,
  ) {
    this.#dependencies = dependencies;
    this.#answer = answer;
    this.#routes = routes;
    this.#itinerary = new Itinerary(first, progress);
    this.#patience = new Patience(dependencies.limits, first.call, answer, this);
    if (routes.mayFail) answer.judge = this;
  }

  get hasNothing(): boolean {
    return this.#dial?.hasNothing ?? true;
  }

  get #target(): CallTarget {
    return this.#itinerary.target;
  }

  /** Dials. */
  start(): void {
    this.#dependencies.watch.add(this.#patience);
    this.#dialTarget();
  }

  /** The caller hung up. */
  stop(): void {
    if (!this.#isOver) this.#close();
  }

  /** The server stops. */
  drain(): void {
    this.fail(failure("unavailable", "The server is shutting down; try again.", 1));
  }

  /** Ends the call, whoever could still serve it. */
  fail(cause: CallFailure): void {
    if (this.#isOver) return;
    this.#answer.judge = undefined;
    this.#giveUp(cause);
  }

  giveUpSlow(): void {
    this.trace.failed("timeout", performance.now());
    this.#giveUp(slowFailure(this.#target.name));
  }

  dropCaller(): void {
    this.#answer.cut(undefined);
    this.#close();
  }

  beginStream(): void {
    if (this.#dial?.isRefused !== true) this.#answer.beginStream();
  }

  answered(status: number, headers: IncomingHttpHeaders): Stage<Buffer> {
    this.trace.answered(status);
    this.#target.breaker.succeed();
    if (status === 401 && this.#mayRenew()) {
      return new RefusedToken(this.#answer, this.#target, headers);
    }
    const dialNext = (outbound: Outbound): void => this.#itinerary.goOnWith(outbound);
    return this.#itinerary.outbound.receive({ status, headers, dialNext });
  }

  heard(chunk: Buffer): void {
    const now = performance.now();
    this.#patience.heard(now);
    const milliseconds = this.trace.heard(now);
    if (milliseconds === undefined || (this.trace.status ?? 0) >= 400) return;
    this.trace.answeredBy(modelIn(chunk));
    this.#routes.heard(milliseconds);
  }

  taken(mayGoOn: boolean): void {
    if (this.#left !== undefined) this.#leave(this.#left);
    else if (this.#answer.isOver) this.#closeAnswered();
    else if (!mayGoOn) this.#holdBack();
  }

  /** The caller is not told yet where another route may serve the call. */
  takesOver(cause: CallFailure): boolean {
    if (this.#isOver || this.#left !== undefined) return false;
    if (!this.#routes.failed(cause, this.trace.status)) return false;
    this.#left = cause;
    return true;
  }

  ended(): void {
    const receiver = this.#dial?.receiver;
    if (this.hasNothing) this.#endedEmpty();
    else if (receiver instanceof RefusedToken) this.#renewToken(receiver.cause);
    else if (this.#left !== undefined) this.#leave(this.#left);
    else if (this.#itinerary.goesOn) this.#goOn();
    else {
      this.#settleRoute();
      this.#finish();
    }
  }

  /** The caller was told everything, though the upstream would say more. */
  #closeAnswered(): void {
    this.#settleRoute();
    this.#close();
  }

  #settleRoute(): void {
    if (this.#answer.errorCode === undefined) this.#routes.served();
  }

  #endedEmpty(): void {
    this.trace.failed("reset", performance.now());
    this.#retryOr(dialFailureOf(this.#target.name, "reset"));
  }

  failed(error: Error): void {
    const kind = this.#dependencies.dialFailure(error);
    const { name } = this.#target;
    this.trace.failed(kind, performance.now());
    if (this.#itinerary.goesOn) this.#goOn();
    else if (!this.hasNothing) this.#giveUp(brokenFailure(name));
    else if (isTransient(kind)) this.#retryOr(dialFailureOf(name, kind));
    else this.#giveUp(dialFailureOf(name, kind));
  }

  /**
   * The first dial of a target in this call: one that rests is left alone. Among several
   * targets of an alias it was decided already.
   */
  #dialTarget(): void {
    const { name, breaker, retries } = this.#target;
    retries.earn();
    if (this.#routes.isPool || !breaker.isOpen()) this.#dialNow();
    else this.#giveUp(restingFailure(name, breaker.opensInSeconds()));
  }

  #dialNow(): void {
    const now = performance.now();
    const { outbound, target, plan } = this.#itinerary;
    this.trace.dialled(plan, now);
    this.#routes.dialled();
    this.#patience.heard(now);
    this.#dial = new Dial(this);
    this.#dial.send(this.#dependencies.dialer.dispatcher(target.poolKey), outbound);
  }

  #goOn(): void {
    this.#dial = undefined;
    this.#itinerary.advance();
    this.#dialNow();
  }

  /** Looks for another route; `cause` is told when there is none. */
  #leave(cause: CallFailure): void {
    this.#dial?.abandon();
    this.#dial = undefined;
    const now = performance.now();
    this.trace.ended(now);
    this.#patience.heard(now);
    this.#routes.next().then(
      (route) => this.#goElsewhere(route, cause),
      (error) => this.#end(failureOf(error)),
    );
  }

  #goElsewhere(route: ReservedRoute | undefined, cause: CallFailure): void {
    if (this.#isOver) return;
    if (route === undefined) {
      this.#end(cause);
      return;
    }
    this.#left = undefined;
    this.trace.goElsewhere();
    this.#answer.startAnew();
    this.#itinerary.goElsewhere(route);
    this.#dialTarget();
  }

  #mayRenew(): boolean {
    if (this.#target.renew === undefined || this.#hasRenewed || !this.#answer.isOpen) return false;
    if (!this.#routes.isPool) return true;
    // The call goes on elsewhere; those after the rest of this target have another token.
    this.#target.renew().catch(() => undefined);
    return false;
  }

  /** Makes the call once more with another token; `refusal` is told when there is none. */
  #renewToken(refusal: CallFailure): void {
    this.#hasRenewed = true;
    this.#dial = undefined;
    this.#patience.heard(performance.now());
    void renewToken(this.#target, refusal).then((cause) => this.#goOnRenewed(cause));
  }

  #goOnRenewed(cause: CallFailure | undefined): void {
    if (this.#isOver) return;
    if (cause === undefined) {
      const { outbound, target } = this.#itinerary;
      const headers = withCredentialOf(target, outbound.headers);
      this.#itinerary.goOnWith({ ...outbound, headers });
      this.#goOn();
    } else this.#giveUp(cause);
  }

  #retryOr(cause: CallFailure): void {
    const delay = retryDelay(this.trace.attempts);
    const { retries, breaker } = this.#target;
    this.#dial = undefined;
    const mayRetry = this.#answer.isOpen && !this.#routes.isPool;
    if (mayRetry && delay !== undefined && retries.spend()) {
      this.#retryTimer = setTimeout(() => this.#dialNow(), delay);
      return;
    }
    breaker.fail();
    this.#giveUp(cause);
  }

  #holdBack(): void {
    if (this.#patience.block()) this.#answer.whenDrained(() => this.#resume());
    this.#dial?.pause();
  }

  /** The caller reads again. */
  #resume(): void {
    if (!this.#isOver && this.#patience.unblock()) this.#dial?.resume();
  }

  /** The upstream does not serve the call. */
  #giveUp(cause: CallFailure): void {
    (this.#dial?.receiver ?? this.#answer).fail(cause);
    if (this.#left === undefined || this.#answer.isOver) this.#close();
    else this.#leave(this.#left);
  }

  /** Nobody serves it. */
  #end(cause: CallFailure): void {
    if (this.#isOver) return;
    this.#answer.judge = undefined;
    this.#answer.fail(cause);
    this.#close();
  }

  /** Ends the exchange whatever the upstream is doing. */
  #close(): void {
    this.#finish();
    clearTimeout(this.#retryTimer);
    this.#dial?.abandon();
  }

  #finish(): void {
    this.#isOver = true;
    this.#routes.end();
    this.trace.ended(performance.now());
    this.#dependencies.watch.delete(this.#patience);
  }
}

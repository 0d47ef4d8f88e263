import type { IncomingHttpHeaders } from "node:http";
import { performance } from "node:perf_hooks";
import type { Tracer, UpstreamSpan } from "../../platform/telemetry/tracer.ts";
import type { Answer } from "../call/answer.ts";
import { failure, type CallFailure } from "../call/call-failure.ts";
import type { CallLimits } from "../call/call-limits.ts";
import type { CallProgress } from "../call/call-progress.ts";
import type { CallWatch } from "../call/call-watch.ts";
import type { ModelCall } from "../call/model-call.ts";
import type { ReservedCall } from "../call/reserve-call.ts";
import type { CallDialer, ReadDialFailure } from "../ports.ts";
import { RefusedToken } from "../relay/refused-token.ts";
import { nowhere, type Stage } from "../relay/stage.ts";
import { Dial, type DialListener } from "./dial.ts";
import { brokenFailure, dialFailureOf, restingFailure, slowFailure } from "./dial-failures.ts";
import { withCredentialOf, type DialTarget } from "./dial-target.ts";
import { DialTrace } from "./dial-trace.ts";
import { Itinerary } from "./itinerary.ts";
import type { Outbound } from "./outbound.ts";
import { Patience, type PatientExchange } from "./patience.ts";
import { renewToken } from "./renew-token.ts";
import { isPassing, isTransient, retryDelay } from "./retry-rules.ts";
import { startUpstreamSpan } from "./upstream-span.ts";

/** What every exchange works with. */
export interface ExchangeDependencies {
  readonly dialer: CallDialer;
  readonly dialFailure: ReadDialFailure;
  readonly limits: CallLimits;
  readonly watch: CallWatch;
  readonly tracer: Tracer;
}

/**
 * One call to its upstreams, from the first dial to the end of the answer: it
 * dials, hands the answer to the receiver that its head calls for, retries and goes
 * elsewhere while the caller has heard nothing, holds the upstream back while the
 * caller does not read, and cancels it when the caller is gone.
 */
export class Exchange implements DialListener, PatientExchange {
  readonly trace = new DialTrace();
  readonly #dependencies: ExchangeDependencies;
  readonly #call: ModelCall;
  readonly #answer: Answer;
  readonly #itinerary: Itinerary;
  readonly #patience: Patience;
  /** Undefined between two dials. */
  #dial: Dial | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  #span: UpstreamSpan | undefined;
  /** A refused token is renewed once in a call. */
  #hasRenewed = false;
  #isOver = false;

  constructor(
    dependencies: ExchangeDependencies,
    reserved: ReservedCall,
    progress: CallProgress,
    answer: Answer,
  ) {
    this.#dependencies = dependencies;
    this.#call = reserved.call;
    this.#answer = answer;
    this.#itinerary = new Itinerary(reserved, reserved.nextRoute, progress);
    this.#patience = new Patience(dependencies.limits, reserved.call, answer, this);
  }

  get hasNothing(): boolean {
    return this.#dial?.hasNothing ?? true;
  }

  get #target(): DialTarget {
    return this.#itinerary.target;
  }

  /** Dials. */
  start(): void {
    this.#dependencies.watch.add(this.#patience);
    this.#span = startUpstreamSpan(this.#dependencies.tracer, this.#call, this.#target);
    this.#dialTarget();
  }

  /** The caller hung up. */
  stop(): void {
    if (!this.#isOver) this.#close();
  }

  /** The caller reads again. */
  resume(): void {
    if (!this.#isOver && this.#patience.unblock()) this.#dial?.resume();
  }

  /** The server stops. */
  drain(): void {
    this.#giveUp(failure("unavailable", "The server is shutting down; try again.", 1));
  }

  giveUpSlow(): void {
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
    this.trace.status = status;
    this.#target.breaker.succeed();
    if (isPassing(status) && this.#mayGoElsewhere()) return nowhere;
    if (status === 401 && this.#mayRenew()) {
      return new RefusedToken(this.#answer, this.#target, headers);
    }
    const dialNext = (outbound: Outbound): void => this.#itinerary.goOnWith(outbound);
    return this.#itinerary.outbound.receive({ status, headers, dialNext });
  }

  heard(): void {
    const now = performance.now();
    this.#patience.heard(now);
    this.trace.heard(now);
  }

  taken(mayGoOn: boolean): void {
    if (this.#answer.isOver) this.#close();
    else if (!mayGoOn) this.#holdBack();
  }

  ended(): void {
    const receiver = this.#dial?.receiver;
    if (this.hasNothing) this.#retryOr(dialFailureOf(this.#target.name, "reset"));
    else if (receiver instanceof RefusedToken) this.#renewToken(receiver.cause);
    else if (this.#itinerary.goesOn) this.#goOn();
    else this.#finish();
  }

  failed(error: Error): void {
    const kind = this.#dependencies.dialFailure(error);
    const { name } = this.#target;
    this.trace.failure = kind;
    if (this.#itinerary.goesOn) this.#goOn();
    else if (!this.hasNothing) this.#giveUp(brokenFailure(name));
    else if (isTransient(kind)) this.#retryOr(dialFailureOf(name, kind));
    else this.#giveUp(dialFailureOf(name, kind));
  }

  /** The first dial of a target in this call: one that rests is left alone. */
  #dialTarget(): void {
    const { name, breaker, retries } = this.#target;
    retries.earn();
    if (breaker.isOpen()) this.#goElsewhereOr(restingFailure(name, breaker.opensInSeconds()));
    else this.#dialNow();
  }

  #dialNow(): void {
    const now = performance.now();
    this.trace.dialled(now);
    this.#patience.heard(now);
    const { outbound, target } = this.#itinerary;
    this.#dial = new Dial(this);
    this.#dial.send(this.#dependencies.dialer.dispatcher(target.poolKey), outbound);
  }

  #goOn(): void {
    this.#dial = undefined;
    if (this.#itinerary.advance()) this.#dialTarget();
    else this.#dialNow();
  }

  #mayRenew(): boolean {
    return this.#target.renew !== undefined && !this.#hasRenewed && this.#answer.isOpen;
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
    } else if (isPassing(cause.status)) this.#goElsewhereOr(cause);
    else this.#giveUp(cause);
  }

  #retryOr(cause: CallFailure): void {
    const delay = retryDelay(this.trace.attempts);
    const { retries, breaker } = this.#target;
    this.#dial = undefined;
    if (this.#answer.isOpen && delay !== undefined && retries.spend()) {
      this.#retryTimer = setTimeout(() => this.#dialNow(), delay);
      return;
    }
    breaker.fail();
    this.#goElsewhereOr(cause);
  }

  /** The upstream cannot be reached: another one of the caller's own may be. */
  #goElsewhereOr(cause: CallFailure): void {
    if (this.#mayGoElsewhere()) this.#goOn();
    else this.#giveUp(cause);
  }

  /** Whether there is another own route; it is dialled when this one has ended. */
  #mayGoElsewhere(): boolean {
    return this.#answer.isOpen && this.#itinerary.goElsewhere();
  }

  #holdBack(): void {
    this.#patience.block();
    this.#dial?.pause();
  }

  #giveUp(cause: CallFailure): void {
    (this.#dial?.receiver ?? this.#answer).fail(cause);
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
    this.trace.endedAt = performance.now();
    this.#dependencies.watch.delete(this.#patience);
    this.#span?.end({ status: this.trace.status, failure: this.trace.failure });
  }
}

import type { IncomingHttpHeaders } from "node:http";
import { performance } from "node:perf_hooks";
import type { CallerResponse, CallFailoverPolicy } from "../call/caller-response.ts";
import { createCallFailure, toCallFailure, type CallFailure } from "../call/call-failure.ts";
import type { CallTimeouts } from "../call/call-timeouts.ts";
import type { CallProgress } from "../call/call-progress.ts";
import type { InFlightCallTimeoutMonitor } from "../call/in-flight-monitor.ts";
import type { TargetSequence } from "../call/target-sequence.ts";
import type { ReservedAttempt } from "../call/reserve-attempt.ts";
import type { RequestBodyMemoryBudget } from "../../platform/body-memory-budget.ts";
import { minLargeBodyBytes } from "../../platform/large-work-turns.ts";
import type { HttpDispatcherProvider, DialFailureClassifier } from "../ports.ts";
import { UnauthorizedResponseHandler } from "../pass-through/unauthorized-response.ts";
import type { StreamStage } from "../pass-through/stage.ts";
import { UpstreamDispatchHandler, type UpstreamResponseListener } from "./upstream-dispatch.ts";
import {
  createIncompleteResponseFailure,
  convertDialFailure,
  createCircuitOpenFailure,
  createUpstreamTimeoutFailure,
} from "./upstream-failures.ts";
import type { AccountCircuit } from "./account-circuits.ts";
import { applyRefreshedCredentialHeaders, type ResolvedUpstream } from "./call-target.ts";
import { CallAttemptsTrace } from "./attempt-trace.ts";
import { CurrentAttempt } from "./current-attempt.ts";
import { extractResponseModel } from "./extract-model.ts";
import type { OutboundRequest } from "./outbound-request.ts";
import { CallTimeoutMonitor, type CallTimeoutHandler } from "./call-timeout-monitor.ts";
import { refreshTokenOrReturnFailure } from "./refresh-token.ts";
import { isTransientDialFailure, getRetryDelayMs } from "./retry-rules.ts";

/** What every exchange works with. */
export interface UpstreamCallDependencies {
  readonly dialer: HttpDispatcherProvider;
  readonly classifyDialFailure: DialFailureClassifier;
  readonly limits: CallTimeouts;
  readonly watch: InFlightCallTimeoutMonitor;
  readonly bodies: Pick<RequestBodyMemoryBudget, "turns">;
}

/**
 * One call to its upstreams, from the first dial to the end of the answer: it
 * dials, hands the answer to the receiver that its head calls for, retries and goes
 * elsewhere while the caller has heard nothing, holds the upstream back while the
 * caller does not read, and cancels it when the caller is gone.
 */
export class UpstreamCall
  implements UpstreamResponseListener, CallTimeoutHandler, CallFailoverPolicy
{
  readonly trace = new CallAttemptsTrace();
  readonly #dependencies: UpstreamCallDependencies;
  readonly #response: CallerResponse;
  readonly #routes: TargetSequence;
  readonly #attempt: CurrentAttempt;
  readonly #accountId: string;
  readonly #timeouts: CallTimeoutMonitor;
  /** Undefined between two dials. */
  #dial: UpstreamDispatchHandler | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  /** A refused token is renewed once in a call. */
  #hasRefreshed = false;
  /** What the route that was dialled failed with; another may serve the call, and its caller has heard nothing. */
  #left: CallFailure | undefined;
  #isOver = false;

  constructor(
    dependencies: UpstreamCallDependencies,
    first: ReservedAttempt,
    routes: TargetSequence,
    progress: CallProgress,
    answer: CallerResponse,
  ) {
    this.#dependencies = dependencies;
    this.#response = answer;
    this.#routes = routes;
    this.#attempt = new CurrentAttempt(first, progress);
    this.#accountId = first.call.key.principal.accountId;
    this.#timeouts = new CallTimeoutMonitor(dependencies.limits, first.call, answer, this);
    if (routes.hasAlternatives) answer.failoverPolicy = this;
  }

  get hasNothing(): boolean {
    return this.#dial?.hasReceivedNothing ?? true;
  }

  get #target(): ResolvedUpstream {
    return this.#attempt.target;
  }

  /** Circuit of the caller's account at the current target. */
  get #circuit(): AccountCircuit {
    return this.#target.circuits.get(this.#accountId);
  }

  /** Dials. */
  start(): void {
    this.#dependencies.watch.add(this.#timeouts);
    this.#sendToTarget();
  }

  /** The caller hung up. */
  stop(): void {
    if (!this.#isOver) this.#close();
  }

  /** The server stops. */
  drain(): void {
    this.fail(createCallFailure("unavailable", "The server is shutting down; try again.", 1));
  }

  /** Ends the call, whoever could still serve it. */
  fail(cause: CallFailure): void {
    if (this.#isOver) return;
    this.#response.failoverPolicy = undefined;
    this.#giveUp(cause);
  }

  onUpstreamTimeout(): void {
    this.trace.failed("timeout", performance.now());
    this.#giveUp(createUpstreamTimeoutFailure(this.#target.name));
  }

  onCallerStall(): void {
    this.#response.cut(undefined);
    this.#close();
  }

  beginStream(): void {
    if (this.#dial?.isErrorStatus !== true) this.#response.beginStream();
  }

  onSent(): void {
    this.trace.onSent();
  }

  onResponse(status: number, headers: IncomingHttpHeaders): StreamStage<Buffer> {
    this.trace.onResponse(status);
    this.#circuit.breaker.succeed();
    if (status === 401 && this.#canRefresh()) {
      return new UnauthorizedResponseHandler(this.#response, this.#target, headers);
    }
    const dialNext = (outbound: OutboundRequest): void => this.#attempt.setFollowUp(outbound);
    return this.#attempt.outbound.receive({ status, headers, sendFollowUp: dialNext });
  }

  onData(chunk: Buffer): void {
    const now = performance.now();
    this.#timeouts.onActivity(now);
    const milliseconds = this.trace.onFirstByte(now);
    if (milliseconds === undefined || (this.trace.status ?? 0) >= 400) return;
    this.trace.setModel(extractResponseModel(chunk));
    this.#routes.onFirstByte(milliseconds);
  }

  /** A large body takes its turn: translating it is one long piece of work. */
  onBody(bytes: number, finish: () => void): void {
    const { plan } = this.#attempt;
    if (plan.lane !== "transcode" || bytes < minLargeBodyBytes) finish();
    else this.#dependencies.bodies.turns.run(this.#accountId, finish);
  }

  onConsumed(mayGoOn: boolean): void {
    if (this.#left !== undefined) this.#leave(this.#left);
    else if (this.#response.isOver) this.#closeAnswered();
    else if (!mayGoOn) this.#pauseUpstream();
  }

  /** The caller is not told yet where another route may serve the call. */
  shouldFailOver(cause: CallFailure): boolean {
    if (this.#isOver || this.#left !== undefined) return false;
    if (!this.#routes.failed(cause, this.trace.status)) return false;
    this.#left = cause;
    return true;
  }

  onEnd(): void {
    const receiver = this.#dial?.receiver;
    if (this.hasNothing) this.#endedEmpty();
    else if (receiver instanceof UnauthorizedResponseHandler) this.#renewToken(receiver.cause);
    else if (this.#left !== undefined) this.#leave(this.#left);
    else if (this.#attempt.hasFollowUp) this.#goOn();
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
    if (this.#response.errorCode === undefined) this.#routes.onServed();
  }

  #endedEmpty(): void {
    this.trace.failed("reset", performance.now());
    this.#retryOr(convertDialFailure(this.#target.name, "reset"));
  }

  onError(error: Error): void {
    const kind = this.#dependencies.classifyDialFailure(error);
    const { name } = this.#target;
    this.trace.failed(kind, performance.now());
    if (this.#attempt.hasFollowUp) this.#goOn();
    else if (!this.hasNothing) this.#giveUp(createIncompleteResponseFailure(name));
    else if (isTransientDialFailure(kind)) this.#retryOr(convertDialFailure(name, kind));
    else this.#giveUp(convertDialFailure(name, kind));
  }

  /**
   * The first dial of a target in this call: one that rests is left alone. Among several
   * targets of an alias it was decided already.
   */
  #sendToTarget(): void {
    const { breaker, retries } = this.#circuit;
    retries.deposit();
    if (this.#routes.isPool || !breaker.isOpen()) this.#send();
    else this.#giveUp(createCircuitOpenFailure(this.#target.name, breaker.opensInSeconds()));
  }

  #send(): void {
    const now = performance.now();
    const { outbound, target, plan } = this.#attempt;
    this.trace.onRequest(plan, now);
    this.#routes.onRequest();
    this.#timeouts.onActivity(now);
    this.#dial = new UpstreamDispatchHandler(this);
    this.#dial.send(this.#dependencies.dialer.dispatcher(target.poolKey), outbound);
  }

  #goOn(): void {
    this.#dial = undefined;
    this.#attempt.startFollowUp();
    this.#send();
  }

  /** Looks for another route; `cause` is told when there is none. */
  #leave(cause: CallFailure): void {
    this.#dial?.abandon();
    this.#dial = undefined;
    const now = performance.now();
    this.trace.ended(now);
    this.#timeouts.onActivity(now);
    this.#routes.next().then(
      (route) => this.#failOver(route, cause),
      (error) => this.#end(toCallFailure(error)),
    );
  }

  #failOver(route: ReservedAttempt | undefined, cause: CallFailure): void {
    if (this.#isOver) return;
    if (route === undefined) {
      this.#end(cause);
      return;
    }
    this.#left = undefined;
    this.trace.onFailover();
    this.#response.reset();
    this.#attempt.switchTarget(route);
    this.#sendToTarget();
  }

  #canRefresh(): boolean {
    if (this.#target.renew === undefined || this.#hasRefreshed || !this.#response.isOpen)
      return false;
    if (!this.#routes.isPool) return true;
    // The call goes on elsewhere; those after the rest of this target have another token.
    this.#target.renew().catch(() => undefined);
    return false;
  }

  /** Makes the call once more with another token; `refusal` is told when there is none. */
  #renewToken(refusal: CallFailure): void {
    this.#hasRefreshed = true;
    this.#dial = undefined;
    this.#timeouts.onActivity(performance.now());
    void refreshTokenOrReturnFailure(this.#target, refusal).then((cause) =>
      this.#goOnRenewed(cause),
    );
  }

  #goOnRenewed(cause: CallFailure | undefined): void {
    if (this.#isOver) return;
    if (cause === undefined) {
      const { outbound, target } = this.#attempt;
      const headers = applyRefreshedCredentialHeaders(target, outbound.headers);
      this.#attempt.setFollowUp({ ...outbound, headers });
      this.#goOn();
    } else this.#giveUp(cause);
  }

  #retryOr(cause: CallFailure): void {
    const delay = getRetryDelayMs(this.trace.attempts);
    const { retries, breaker } = this.#circuit;
    this.#dial = undefined;
    const mayRetry = this.#response.isOpen && !this.#routes.isPool;
    if (mayRetry && delay !== undefined && retries.withdraw()) {
      this.#retryTimer = setTimeout(() => this.#send(), delay);
      return;
    }
    breaker.fail();
    this.#giveUp(cause);
  }

  #pauseUpstream(): void {
    if (this.#timeouts.onCallerBlocked()) this.#response.onDrain(() => this.#resume());
    this.#dial?.pause();
  }

  /** The caller reads again. */
  #resume(): void {
    if (!this.#isOver && this.#timeouts.onCallerDrained()) this.#dial?.resume();
  }

  /** The upstream does not serve the call. */
  #giveUp(cause: CallFailure): void {
    (this.#dial?.receiver ?? this.#response).fail(cause);
    if (this.#left === undefined || this.#response.isOver) this.#close();
    else this.#leave(this.#left);
  }

  /** Nobody serves it. */
  #end(cause: CallFailure): void {
    if (this.#isOver) return;
    this.#response.failoverPolicy = undefined;
    this.#response.fail(cause);
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
    this.#dependencies.watch.delete(this.#timeouts);
  }
}

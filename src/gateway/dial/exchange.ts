import type { IncomingHttpHeaders } from "node:http";
import { performance } from "node:perf_hooks";
import type { Dispatcher } from "undici";
import type { DialFailure } from "../../platform/dial/dial-failure.ts";
import type { Tracer, UpstreamSpan } from "../../platform/telemetry/tracer.ts";
import type { Answer } from "../call/answer.ts";
import { failure, failureOf, type CallFailure } from "../call/call-failure.ts";
import type { CallLimits } from "../call/call-limits.ts";
import type { CallWatch, WatchedCall } from "../call/call-watch.ts";
import { dialFailureOf } from "./dial-failure-message.ts";
import { withCredentialOf, type DialTarget } from "./dial-target.ts";
import type { ModelCall } from "../call/model-call.ts";
import type { CallDialer, ReadDialFailure } from "../ports.ts";
import { ownStreamType } from "../relay/choose-receiver.ts";
import type { Outbound } from "./outbound.ts";
import type { Receiver } from "../relay/receiver.ts";
import { RefusedToken } from "../relay/refused-token.ts";

/** First dial and two retries. */
const attemptsAtMost = 3;

/** Milliseconds before the second and the third dial. */
const retryDelays = [0, 100];

/** Failures after which the same dial may succeed. */
const transient: ReadonlySet<DialFailure | undefined> = new Set(["connect", "dns", "tls", "reset"]);

/** Given to undici as the reason of an abort; made once, because stack traces are dear. */
const stopped = new Error("The call is over.");

/** The next of the caller's own routes that serves the model; undefined: there is none. */
export type NextOwn = () => Outbound | undefined;

const nowhereElse: NextOwn = () => undefined;

/** Statuses that another upstream may not answer with (contract section 6, retries). */
function isPassing(status: number): boolean {
  return status === 429 || status >= 500;
}

/** Takes an answer that nobody hears. */
const ignoring: Receiver = {
  isEmpty: false,
  data: () => true,
  end: () => undefined,
  broken: () => undefined,
  begin: () => undefined,
};

/** What every exchange works with. */
export interface ExchangeDependencies {
  readonly dialer: CallDialer;
  readonly dialFailure: ReadDialFailure;
  readonly limits: CallLimits;
  readonly watch: CallWatch;
  readonly tracer: Tracer;
}

/**
 * One call to an upstream, retries included: it dials, hands the answer to the
 * receiver that its head calls for, keeps the limits, holds the upstream back
 * while the caller does not read, and cancels it when the caller is gone.
 */
export class Exchange implements Dispatcher.DispatchHandler, WatchedCall {
  watchIndex = -1;
  readonly #dependencies: ExchangeDependencies;
  readonly #call: ModelCall;
  readonly #answer: Answer;
  readonly #nextOwn: NextOwn;
  #outbound: Outbound;
  /** Asked for by the receiver of the answer that is coming in. */
  #next: Outbound | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #receiver: Receiver | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  #span: UpstreamSpan | undefined;
  #status: number | undefined;
  #failure: DialFailure | undefined;
  #isOver = false;
  /** A refused token is renewed once in a call. */
  #hasRenewed = false;
  #lastByteAt = 0;
  /** Since when the caller does not read; 0: it does. */
  #blockedAt = 0;

  constructor(
    dependencies: ExchangeDependencies,
    call: ModelCall,
    answer: Answer,
    outbound: Outbound,
    nextOwn: NextOwn = nowhereElse,
  ) {
    this.#dependencies = dependencies;
    this.#call = call;
    this.#answer = answer;
    this.#outbound = outbound;
    this.#nextOwn = nextOwn;
  }

  get #target(): DialTarget {
    return this.#outbound.target;
  }

  /** Dials. */
  start(): void {
    this.#dependencies.watch.add(this);
    this.#span = this.#startSpan();
    this.#dialTarget();
  }

  /** The caller hung up. */
  stop(): void {
    if (!this.#isOver) this.#close();
  }

  /** The caller reads again. */
  resume(): void {
    if (this.#blockedAt === 0 || this.#isOver) return;
    this.#blockedAt = 0;
    this.#lastByteAt = performance.now();
    this.#controller?.resume();
  }

  tick(now: number): void {
    const { limits } = this.#dependencies;
    if (this.#blockedAt !== 0) {
      if (now - this.#blockedAt >= limits.blockedMs) this.#dropCaller();
      return;
    }
    const limit = this.#hasNothing() ? limits.firstByteMs : limits.idleMs;
    if (now - this.#lastByteAt >= limit) this.#giveUp(this.#tooSlow());
    else if (this.#call.isStream) this.#keepAlive(now);
  }

  drain(): void {
    this.#giveUp(failure("unavailable", "The server is shutting down; try again.", 1));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) controller.abort(stopped);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (this.#isOver || status < 200) return;
    this.#status = status;
    this.#target.breaker.succeed();
    if (isPassing(status) && this.#moveOn()) {
      this.#receiver = ignoring;
      return;
    }
    if (status === 401 && this.#mayRenew()) {
      this.#receiver = new RefusedToken(this.#answer, this.#target, headers);
      return;
    }
    const dialNext = (outbound: Outbound): void => void (this.#next = outbound);
    this.#receiver = this.#outbound.receive({ status, headers, dialNext });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver || this.#receiver === undefined) return;
    this.#lastByteAt = performance.now();
    if (this.#call.firstByteAt === 0) this.#call.firstByteAt = this.#lastByteAt;
    const mayGoOn = this.#receiver.data(chunk);
    if (this.#answer.isOver) this.#close();
    else if (!mayGoOn) this.#holdBack(controller);
  }

  onResponseEnd(): void {
    if (this.#isOver || this.#receiver === undefined) return;
    if (this.#hasNothing()) {
      this.#retryOr(dialFailureOf(this.#target.name, "reset"));
      return;
    }
    this.#receiver.end();
    if (this.#receiver instanceof RefusedToken) this.#renewToken(this.#receiver.cause);
    else if (this.#next === undefined) this.#finish();
    else this.#dialNext(this.#next);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#isOver) return;
    const kind = this.#dependencies.dialFailure(error);
    this.#failure = kind;
    const cause = dialFailureOf(this.#target.name, kind);
    if (this.#next !== undefined) this.#dialNext(this.#next);
    else if (!this.#hasNothing()) this.#giveUp(this.#brokeOff());
    else if (transient.has(kind)) this.#retryOr(cause);
    else this.#giveUp(cause);
  }

  /** The first dial of a target in this call: one that rests is left alone. */
  #dialTarget(): void {
    const { breaker, retries } = this.#target;
    retries.earn();
    if (breaker.isOpen()) this.#giveUpHere(restingFailure(this.#target, breaker.opensInSeconds()));
    else this.#dial();
  }

  #dial(): void {
    this.#call.attempts += 1;
    this.#lastByteAt = performance.now();
    this.#call.dialledAt ||= this.#lastByteAt;
    this.#receiver = undefined;
    const { path, headers, body } = this.#outbound;
    const request: Dispatcher.DispatchOptions = {
      origin: this.#target.origin,
      path,
      method: "POST",
      headers,
      body,
      // The watch keeps the limits of all calls with one timer.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    this.#dependencies.dialer.dispatcher(this.#target.poolKey).dispatch(request, this);
  }

  #dialNext(outbound: Outbound): void {
    const isSameTarget = outbound.target === this.#target;
    this.#outbound = outbound;
    this.#next = undefined;
    this.#controller = undefined;
    this.#receiver = undefined;
    if (isSameTarget) this.#dial();
    else this.#dialTarget();
  }

  #mayRenew(): boolean {
    return this.#target.renew !== undefined && !this.#hasRenewed && this.#answer.isOpen;
  }

  /** Makes the call once more with another token; `refusal` is told when there is none. */
  #renewToken(refusal: CallFailure): void {
    this.#hasRenewed = true;
    this.#receiver = undefined;
    this.#controller = undefined;
    this.#lastByteAt = performance.now();
    const renewal = this.#target.renew?.() ?? Promise.resolve(false);
    renewal.then(
      (isRenewed) => this.#goOn(isRenewed ? undefined : refusal),
      (error: unknown) => this.#goOn(failureOf(error)),
    );
  }

  #goOn(cause: CallFailure | undefined): void {
    if (this.#isOver) return;
    if (cause !== undefined) {
      if (isPassing(cause.status)) this.#giveUpHere(cause);
      else this.#giveUp(cause);
      return;
    }
    const headers = withCredentialOf(this.#target, this.#outbound.headers);
    this.#dialNext({ ...this.#outbound, headers });
  }

  #hasNothing(): boolean {
    return this.#receiver === undefined || this.#receiver.isEmpty;
  }

  #retryOr(cause: CallFailure): void {
    const { attempts } = this.#call;
    const mayRetry = this.#answer.isOpen && attempts < attemptsAtMost;
    if (!mayRetry || !this.#target.retries.spend()) {
      this.#target.breaker.fail();
      this.#giveUpHere(cause);
      return;
    }
    this.#controller = undefined;
    this.#retryTimer = setTimeout(() => this.#dial(), retryDelays[attempts - 1]);
  }

  /** The upstream cannot be reached: another one of the caller's own may be. */
  #giveUpHere(cause: CallFailure): void {
    if (this.#moveOn() && this.#next !== undefined) this.#dialNext(this.#next);
    else this.#giveUp(cause);
  }

  /** Whether there is another own route to go on to; it is dialled when this one has ended. */
  #moveOn(): boolean {
    if (!this.#answer.isOpen) return false;
    this.#next = this.#nextOwn();
    return this.#next !== undefined;
  }

  #keepAlive(now: number): void {
    const { commitMs, keepAliveMs } = this.#dependencies.limits;
    if (this.#answer.isStreaming) {
      if (now - this.#answer.lastWriteAt >= keepAliveMs) this.#answer.keepAlive();
    } else if (now - this.#call.startedAt >= commitMs) {
      this.#beginStream();
    }
  }

  /** Nothing came for so long that the caller, or a proxy before it, might give up. */
  #beginStream(): void {
    if (this.#receiver === undefined) this.#answer.beginStream(200, ownStreamType);
    else this.#receiver.begin();
    if (this.#answer.isStreaming) this.#answer.keepAlive();
  }

  #holdBack(controller: Dispatcher.DispatchController): void {
    this.#blockedAt = performance.now();
    controller.pause();
  }

  #dropCaller(): void {
    this.#answer.cut(undefined);
    this.#close();
  }

  #giveUp(cause: CallFailure): void {
    if (this.#receiver === undefined || this.#receiver.isEmpty) this.#answer.fail(cause);
    else this.#receiver.broken(cause);
    this.#close();
  }

  /** Ends the exchange whatever the upstream is doing. */
  #close(): void {
    this.#finish();
    clearTimeout(this.#retryTimer);
    this.#controller?.abort(stopped);
  }

  #finish(): void {
    this.#isOver = true;
    this.#call.upstreamEndedAt = performance.now();
    this.#dependencies.watch.delete(this);
    this.#span?.end({ status: this.#status, failure: this.#failure });
  }

  #startSpan(): UpstreamSpan | undefined {
    const { tracer } = this.#dependencies;
    if (!tracer.enabled) return undefined;
    const { hostname, port, protocol } = new URL(this.#target.origin);
    return tracer.startUpstreamSpan(this.#call.serverSpan, {
      method: "POST",
      host: hostname,
      port: Number(port) || (protocol === "https:" ? 443 : 80),
      dialect: this.#call.surface.dialect,
    });
  }

  #tooSlow(): CallFailure {
    return failure("upstream_timeout", `The upstream \`${this.#target.name}\` took too long.`);
  }

  #brokeOff(): CallFailure {
    return failure(
      "upstream_incomplete",
      `The upstream \`${this.#target.name}\` broke off in the middle of its answer.`,
    );
  }
}

function restingFailure({ name }: DialTarget, seconds: number): CallFailure {
  return failure(
    "upstream_unreachable",
    `The upstream \`${name}\` could not be reached several times in a row; it is tried again in ${seconds} s.`,
    seconds,
  );
}

import { performance } from "node:perf_hooks";
import type { CallerResponse } from "../call/caller-response.ts";
import type { CallTimeouts } from "../call/call-timeouts.ts";
import type { MonitoredCall } from "../call/in-flight-monitor.ts";
import type { ModelCall } from "../call/model-call.ts";

/** The exchange whose limits are kept. */
export interface CallTimeoutHandler {
  /** Nothing of an answer's body has come. */
  readonly hasNothing: boolean;
  /** The upstream is given up: it took too long. */
  onUpstreamTimeout(): void;
  /** The caller is dropped: it reads nothing. */
  onCallerStall(): void;
  /** A stream is begun that has nothing to pass on. */
  beginStream(): void;
  drain(): void;
}

/**
 * How long a call waits, for its upstream and for its caller to read, and what keeps
 * the caller of a silent stream waiting.
 */
export class CallTimeoutMonitor implements MonitoredCall {
  watchIndex = -1;
  readonly #limits: CallTimeouts;
  readonly #call: ModelCall;
  readonly #response: CallerResponse;
  readonly #exchange: CallTimeoutHandler;
  #lastActivityAt = 0;
  /** Since when the caller does not read; 0: it does. */
  #blockedAt = 0;

  constructor(
    limits: CallTimeouts,
    call: ModelCall,
    answer: CallerResponse,
    exchange: CallTimeoutHandler,
  ) {
    this.#limits = limits;
    this.#call = call;
    this.#response = answer;
    this.#exchange = exchange;
  }

  /** The upstream was asked, or heard of, just now. */
  onActivity(now: number): void {
    this.#lastActivityAt = now;
  }

  /** The caller is to read first; true: it was not waited for yet. */
  onCallerBlocked(): boolean {
    const isFirst = this.#blockedAt === 0;
    this.#blockedAt = performance.now();
    return isFirst;
  }

  /** The caller reads; true: that was waited for. */
  onCallerDrained(): boolean {
    if (this.#blockedAt === 0) return false;
    this.#blockedAt = 0;
    this.#lastActivityAt = performance.now();
    return true;
  }

  tick(now: number): void {
    const { firstByteMs, idleMs, blockedMs } = this.#limits;
    if (this.#blockedAt !== 0) {
      if (now - this.#blockedAt >= blockedMs) this.#exchange.onCallerStall();
      return;
    }
    const limit = this.#exchange.hasNothing ? firstByteMs : idleMs;
    if (now - this.#lastActivityAt >= limit) this.#exchange.onUpstreamTimeout();
    else if (this.#call.isStream) this.#keepAlive(now);
  }

  drain(): void {
    this.#exchange.drain();
  }

  #keepAlive(now: number): void {
    const { commitMs, keepAliveMs } = this.#limits;
    if (this.#response.isStreaming) {
      if (now - this.#response.lastWriteAt >= keepAliveMs) this.#response.keepAlive();
    } else if (now - this.#call.startedAt >= commitMs) {
      // The caller, or a proxy before it, might give up soon.
      this.#exchange.beginStream();
      if (this.#response.isStreaming) this.#response.keepAlive();
    }
  }
}

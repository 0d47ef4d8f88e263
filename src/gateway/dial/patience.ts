import { performance } from "node:perf_hooks";
import type { Answer } from "../call/answer.ts";
import type { CallLimits } from "../call/call-limits.ts";
import type { WatchedCall } from "../call/call-watch.ts";
import type { ModelCall } from "../call/model-call.ts";

/** The exchange whose limits are kept. */
export interface PatientExchange {
  /** Nothing of an answer's body has come. */
  readonly hasNothing: boolean;
  /** The upstream is given up: it took too long. */
  giveUpSlow(): void;
  /** The caller is dropped: it reads nothing. */
  dropCaller(): void;
  /** A stream is begun that has nothing to pass on. */
  beginStream(): void;
  drain(): void;
}

/**
 * How long a call waits, for its upstream and for its caller to read, and what keeps
 * the caller of a silent stream waiting.
 */
export class Patience implements WatchedCall {
  watchIndex = -1;
  readonly #limits: CallLimits;
  readonly #call: ModelCall;
  readonly #answer: Answer;
  readonly #exchange: PatientExchange;
  #heardAt = 0;
  /** Since when the caller does not read; 0: it does. */
  #blockedAt = 0;

  constructor(limits: CallLimits, call: ModelCall, answer: Answer, exchange: PatientExchange) {
    this.#limits = limits;
    this.#call = call;
    this.#answer = answer;
    this.#exchange = exchange;
  }

  /** The upstream was asked, or heard of, just now. */
  heard(now: number): void {
    this.#heardAt = now;
  }

  /** The caller is to read first; true: it was not waited for yet. */
  block(): boolean {
    const isFirst = this.#blockedAt === 0;
    this.#blockedAt = performance.now();
    return isFirst;
  }

  /** The caller reads; true: that was waited for. */
  unblock(): boolean {
    if (this.#blockedAt === 0) return false;
    this.#blockedAt = 0;
    this.#heardAt = performance.now();
    return true;
  }

  tick(now: number): void {
    const { firstByteMs, idleMs, blockedMs } = this.#limits;
    if (this.#blockedAt !== 0) {
      if (now - this.#blockedAt >= blockedMs) this.#exchange.dropCaller();
      return;
    }
    const limit = this.#exchange.hasNothing ? firstByteMs : idleMs;
    if (now - this.#heardAt >= limit) this.#exchange.giveUpSlow();
    else if (this.#call.isStream) this.#keepAlive(now);
  }

  drain(): void {
    this.#exchange.drain();
  }

  #keepAlive(now: number): void {
    const { commitMs, keepAliveMs } = this.#limits;
    if (this.#answer.isStreaming) {
      if (now - this.#answer.lastWriteAt >= keepAliveMs) this.#answer.keepAlive();
    } else if (now - this.#call.startedAt >= commitMs) {
      // The caller, or a proxy before it, might give up soon.
      this.#exchange.beginStream();
      if (this.#answer.isStreaming) this.#answer.keepAlive();
    }
  }
}

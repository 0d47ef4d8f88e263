import type { Clock } from "./clock.ts";
import type { Principal } from "./principal.ts";

/** Longest time that a timer of Node takes, in milliseconds. */
const maxTimerMs = 2 ** 31 - 1;

/** Calls back when a credential expires, or earlier if that is too far off for one timer. */
export class PrincipalExpiryRecheckTimer {
  readonly #clock: Clock;
  readonly #onExpiry: () => void;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  /** `onExpiry` looks at the credential again and calls `set` with what it found. */
  constructor(clock: Clock, onExpiry: () => void) {
    this.#clock = clock;
    this.#onExpiry = onExpiry;
  }

  /** Replaces the expiry that is waited for. Does nothing after `stop`. */
  set(principal: Principal): void {
    clearTimeout(this.#timer);
    const expiresAt = "expiresAt" in principal ? principal.expiresAt : undefined;
    if (expiresAt === undefined || this.#isStopped) return;
    const ms = Math.min(Math.max(expiresAt - this.#clock.now(), 1), maxTimerMs);
    this.#timer = setTimeout(this.#onExpiry, ms).unref();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}

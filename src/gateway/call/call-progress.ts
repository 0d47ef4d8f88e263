import type { KeyCalls } from "../admission/calls-under-way.ts";
import type { SkippedTarget } from "../../kernel/kept-call.ts";
import type { ArrivedCall, KnownCall } from "./model-call.ts";

const noneSkipped: readonly SkippedTarget[] = [];

/** How far a call has come, for whoever must know it wherever it ends, and its place among those under way. */
export class CallProgress {
  call: KnownCall;
  /** Targets of an alias that were passed over. */
  skipped: readonly SkippedTarget[] = noneSkipped;
  #keyCalls: KeyCalls | undefined;
  #hasLeft = false;

  constructor(arrived: ArrivedCall) {
    this.call = arrived;
  }

  /** Counts it among the calls of its key until it leaves. A caller may be gone before it is let in. */
  enter(calls: KeyCalls): void {
    if (this.#hasLeft) return;
    this.#keyCalls = calls;
    calls.count += 1;
    calls.all.count += 1;
  }

  /** The call has ended; only the first time tells. */
  leave(): void {
    this.#hasLeft = true;
    const calls = this.#keyCalls;
    if (calls === undefined) return;
    this.#keyCalls = undefined;
    calls.count -= 1;
    calls.all.count -= 1;
  }
}

import type { KeyInFlightCount } from "../admission/in-flight-calls.ts";
import type { SkippedTarget } from "../../domain/call-log-entry.ts";
import type { ReceivedCall, PartialCall } from "./model-call.ts";

const noneSkipped: readonly SkippedTarget[] = [];

/** How far a call has come, for whoever must know it wherever it ends, and its place among those under way. */
export class CallProgress {
  call: PartialCall;
  /** Targets of an alias that were passed over. */
  skipped: readonly SkippedTarget[] = noneSkipped;
  #keyCalls: KeyInFlightCount | undefined;
  #hasLeft = false;

  constructor(arrived: ReceivedCall) {
    this.call = arrived;
  }

  /** Counts it among the calls of its key until it leaves. A caller may be gone before it is let in. */
  markInFlight(calls: KeyInFlightCount): void {
    if (this.#hasLeft) return;
    this.#keyCalls = calls;
    calls.count += 1;
    calls.all.count += 1;
  }

  /** The call has ended; only the first time tells. */
  markEnded(): void {
    this.#hasLeft = true;
    const calls = this.#keyCalls;
    if (calls === undefined) return;
    this.#keyCalls = undefined;
    calls.count -= 1;
    calls.all.count -= 1;
  }
}

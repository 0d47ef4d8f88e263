import type { CallerInFlightCounts } from "../admission/in-flight-calls.ts";
import type { SkippedTarget } from "../../domain/call-log-entry.ts";
import type { ReceivedModelCall, PartiallyRoutedCall } from "./model-call.ts";

const noneSkipped: readonly SkippedTarget[] = [];

/** How far a call has come, for whoever must know it wherever it ends, and its place among those under way. */
export class CallProgress {
  call: PartiallyRoutedCall;
  /** Targets of an alias that were passed over. */
  skipped: readonly SkippedTarget[] = noneSkipped;
  #inFlight: CallerInFlightCounts | undefined;
  #hasLeft = false;

  constructor(arrived: ReceivedModelCall) {
    this.call = arrived;
  }

  /** Counts it among the calls of its key and account until it leaves. A caller may be gone before it is let in. */
  markInFlight(calls: CallerInFlightCounts): void {
    if (this.#hasLeft) return;
    this.#inFlight = calls;
    for (const counted of [calls.key, calls.account, calls.all]) counted.count += 1;
  }

  /** The call has ended; only the first time tells. */
  markEnded(): void {
    this.#hasLeft = true;
    const calls = this.#inFlight;
    if (calls === undefined) return;
    this.#inFlight = undefined;
    for (const counted of [calls.key, calls.account, calls.all]) counted.count -= 1;
  }
}

import { describe, expect, it } from "vitest";
import { InFlightCallCounter } from "../../../src/gateway/admission/in-flight-calls.ts";
import { CallProgress } from "../../../src/gateway/call/call-progress.ts";
import type { ReceivedCall } from "../../../src/gateway/call/model-call.ts";

function callOf(): CallProgress {
  return new CallProgress({ requestId: "req_1" } as ReceivedCall);
}

describe("calls under way", () => {
  it("are counted from their start to their end, which counts once", () => {
    const calls = new InFlightCallCounter();
    const [first, second] = [callOf(), callOf()];
    first.markInFlight(calls.of("key_a"));
    second.markInFlight(calls.of("key_a"));
    callOf().markInFlight(calls.of("key_c"));
    expect([calls.of("key_a").count, calls.of("key_b").count, calls.all.count]).toEqual([2, 0, 3]);
    first.markEnded();
    first.markEnded();
    expect([calls.of("key_a").count, calls.all.count]).toEqual([1, 2]);
  });

  it("do not begin when the caller left before the call was let in", () => {
    const calls = new InFlightCallCounter();
    const late = callOf();
    late.markEnded();
    late.markInFlight(calls.of("key_a"));
    expect(calls.of("key_a").count).toBe(0);
  });

  it("forget the keys that have none, and no other", () => {
    const calls = new InFlightCallCounter();
    calls.of("busy").count += 1;
    for (let key = 0; key < 25_000; key++) calls.of(`key_${key}`);
    expect(calls.size).toBeLessThanOrEqual(10_001);
    expect(calls.of("busy").count).toBe(1);
  });
});

import { describe, expect, it } from "vitest";
import { InFlightCallCounter } from "../../../src/gateway/admission/in-flight-calls.ts";
import { CallProgress } from "../../../src/gateway/call/call-progress.ts";
import type { ReceivedModelCall } from "../../../src/gateway/call/model-call.ts";

function callOf(): CallProgress {
  return new CallProgress({ requestId: "req_1" } as ReceivedModelCall);
}

const callerOf = (keyId: string, accountId = "user_a") => ({ keyId, accountId });

describe("calls under way", () => {
  it("are counted from their start to their end, which counts once", () => {
    const calls = new InFlightCallCounter();
    const [first, second] = [callOf(), callOf()];
    first.markInFlight(calls.of(callerOf("key_a")));
    second.markInFlight(calls.of(callerOf("key_a")));
    callOf().markInFlight(calls.of(callerOf("key_b")));
    callOf().markInFlight(calls.of(callerOf("key_c", "user_c")));
    const countsOf = (keyId: string) => {
      const { key, account, all } = calls.of(callerOf(keyId));
      return [key.count, account.count, all.count];
    };
    expect([countsOf("key_a"), countsOf("key_d")]).toEqual([
      [2, 3, 4],
      [0, 3, 4],
    ]);
    first.markEnded();
    first.markEnded();
    expect(countsOf("key_a")).toEqual([1, 2, 3]);
  });

  it("do not begin when the caller left before the call was let in", () => {
    const calls = new InFlightCallCounter();
    const late = callOf();
    late.markEnded();
    late.markInFlight(calls.of(callerOf("key_a")));
    expect(calls.of(callerOf("key_a"))).toMatchObject({ key: { count: 0 }, account: { count: 0 } });
  });

  it("forget the keys and accounts that have none, and no other", () => {
    const calls = new InFlightCallCounter();
    const busy = callerOf("busy", "user_busy");
    callOf().markInFlight(calls.of(busy));
    for (let index = 0; index < 25_000; index++) {
      calls.of(callerOf(`key_${index}`, `user_${index}`));
    }
    expect(calls.size).toBeLessThanOrEqual(20_002);
    expect(calls.of(busy)).toMatchObject({ key: { count: 1 }, account: { count: 1 } });
  });
});

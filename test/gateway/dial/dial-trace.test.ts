import { expect, it } from "vitest";
import { DialTrace } from "../../../src/gateway/dial/dial-trace.ts";

it("tells every dial of a call: whom, how it ended and how long it took", () => {
  const trace = new DialTrace();
  trace.dialled("one/m", 1000);
  trace.failed("connect", 1004);
  trace.dialled("two/m", 1010);
  trace.answered(503);
  expect(trace.heard(1020)).toBe(10);
  trace.ended(1025);
  trace.goElsewhere();
  trace.dialled("custom/acme/m", 1050);
  trace.answered(200);
  expect([trace.heard(1060), trace.heard(1070)]).toEqual([10, undefined]);
  trace.ended(1100);
  expect(trace.printAttempts()).toEqual([
    { target: "one/m", status: undefined, failure: "connect", ms: 4 },
    { target: "two/m", status: 503, failure: undefined, ms: 15 },
    { target: "custom/acme/m", status: 200, failure: undefined, ms: 50 },
  ]);
  expect([trace.attempts, trace.dialledAt, trace.firstByteAt, trace.endedAt]).toEqual([
    3, 1000, 1060, 1100,
  ]);
});

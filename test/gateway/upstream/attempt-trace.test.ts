import { expect, it } from "vitest";
import { CallAttemptsTrace } from "../../../src/gateway/upstream/attempt-trace.ts";
import type { PlannedCallTarget } from "../../../src/gateway/routing/plan.ts";

/** Of a plan only its identity and what it is called by are looked at. */
const planOf = (canonicalId: string): PlannedCallTarget => ({ canonicalId }) as PlannedCallTarget;

it("tells every dial of a call: whom, how it ended and how long it took", () => {
  const trace = new CallAttemptsTrace();
  trace.onRequest(planOf("one/m"), 1000);
  trace.failed("connect", 1004);
  trace.onRequest(planOf("two/m"), 1010);
  trace.onResponse(503);
  expect(trace.onFirstByte(1020)).toBe(10);
  trace.ended(1025);
  trace.onFailover();
  trace.onRequest(planOf("custom/acme/m"), 1050);
  trace.onResponse(200);
  expect([trace.onFirstByte(1060), trace.onFirstByte(1070)]).toEqual([10, undefined]);
  trace.ended(1100);
  expect(trace.toCallAttempts()).toEqual([
    { target: "one/m", status: undefined, failure: "connect", ms: 4 },
    { target: "two/m", status: 503, failure: undefined, ms: 15 },
    { target: "custom/acme/m", status: 200, failure: undefined, ms: 50 },
  ]);
  expect([trace.attempts, trace.sentAt, trace.firstByteAt, trace.endedAt]).toEqual([
    3, 1000, 1060, 1100,
  ]);
});

it("tells the last dial of each target, and when the target was first asked", () => {
  const trace = new CallAttemptsTrace();
  const [one, two] = [planOf("one/m"), planOf("two/m")];
  trace.onRequest(one, 1000);
  trace.failed("reset", 1010);
  trace.onRequest(one, 1200);
  trace.onResponse(503);
  trace.onRequest(two, 1300);
  trace.onResponse(200);
  trace.onFirstByte(1310);
  trace.setModel("m-2026");
  trace.ended(1400);
  expect(trace.lastOfTargets()).toMatchObject([
    { plan: one, firstSentAt: 1000, status: 503, failure: undefined, endedAt: 1300 },
    { plan: two, firstSentAt: 1300, status: 200, model: "m-2026", firstByteAt: 1310 },
  ]);
});

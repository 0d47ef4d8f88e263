import { expect, it } from "vitest";
import { DialTrace } from "../../../src/gateway/dial/dial-trace.ts";
import type { Plan } from "../../../src/gateway/routing/plan.ts";

/** Of a plan only its identity and what it is called by are looked at. */
const planOf = (canonicalId: string): Plan => ({ canonicalId }) as Plan;

it("tells every dial of a call: whom, how it ended and how long it took", () => {
  const trace = new DialTrace();
  trace.dialled(planOf("one/m"), 1000);
  trace.failed("connect", 1004);
  trace.dialled(planOf("two/m"), 1010);
  trace.answered(503);
  expect(trace.heard(1020)).toBe(10);
  trace.ended(1025);
  trace.goElsewhere();
  trace.dialled(planOf("custom/acme/m"), 1050);
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

it("tells the last dial of each target, and when the target was first asked", () => {
  const trace = new DialTrace();
  const [one, two] = [planOf("one/m"), planOf("two/m")];
  trace.dialled(one, 1000);
  trace.failed("reset", 1010);
  trace.dialled(one, 1200);
  trace.answered(503);
  trace.dialled(two, 1300);
  trace.answered(200);
  trace.heard(1310);
  trace.answeredBy("m-2026");
  trace.ended(1400);
  expect(trace.lastOfTargets()).toMatchObject([
    { plan: one, askedAt: 1000, status: 503, failure: undefined, endedAt: 1300 },
    { plan: two, askedAt: 1300, status: 200, model: "m-2026", heardAt: 1310 },
  ]);
});

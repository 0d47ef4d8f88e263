import { describe, expect, it } from "vitest";
import type { Memory } from "./server-under-test.ts";
import { settledFault } from "./report.ts";
import { Tally } from "./tally.ts";

const before: Memory = { residentMib: 232, heapMib: 92 };

/** The fault of a run in which memory grew from `before`, in MiB. */
function faultAfter(requests: number, grown: Memory): string | undefined {
  const tally = new Tally();
  tally.cases = requests;
  return settledFault({
    tallies: new Map([["rest", tally]]),
    findings: [],
    kills: 0,
    before,
    after: {
      residentMib: before.residentMib + grown.residentMib,
      heapMib: before.heapMib + grown.heapMib,
    },
    openConnections: 0,
    seconds: 1,
  });
}

describe("settledFault", () => {
  it("accepts memory that the allocator keeps for a busy server", () => {
    expect(faultAfter(200_000, { residentMib: 78, heapMib: 21 })).toBeUndefined();
  });

  it.each([40_000, 200_000])("reports a kilobyte of the heap per request after %i", (requests) => {
    const heapMib = requests / 1024;
    const fault = `the heap grew by ${heapMib.toFixed(0)} MiB`;
    expect(faultAfter(requests, { residentMib: 60, heapMib })).toBe(fault);
  });

  it("reports what a planted leak of a kilobyte per request left after 40,000", () => {
    const fault = "the heap grew by 29 MiB";
    expect(faultAfter(40_000, { residentMib: 39, heapMib: 29 })).toBe(fault);
  });

  it("reports a kilobyte per request outside of the heap", () => {
    expect(faultAfter(200_000, { residentMib: 195, heapMib: 0 })).toBe("memory grew by 195 MiB");
  });
});

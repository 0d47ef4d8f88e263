import { expect, it } from "vitest";
import { memorySlope, sampleProcess, type Sample } from "./process-samples.ts";

const minuteMs = 60_000;

const samplesOf = (mib: (minute: number) => number): Sample[] =>
  Array.from({ length: 31 }, (_none, minute) => ({
    at: 1_790_000_000_000 + minute * minuteMs,
    residentMib: mib(minute),
    handles: undefined,
    sockets: undefined,
  }));

it("tells the growth of the memory an hour, whatever swings around it", () => {
  expect(memorySlope(samplesOf((minute) => 200 + minute))).toBeCloseTo(60);
  expect(memorySlope(samplesOf((minute) => 200 + (minute % 2) * 50))).toBeCloseTo(0);
  expect(memorySlope([])).toBeUndefined();
});

it.runIf(process.platform === "linux")("looks at a process, and at none", () => {
  const { residentMib, handles, sockets } = sampleProcess(process.pid);
  expect(residentMib).toBeGreaterThan(10);
  expect(handles).toBeGreaterThan(sockets ?? 0);
  expect(sampleProcess(2 ** 30)).toMatchObject({ residentMib: undefined, handles: undefined });
});

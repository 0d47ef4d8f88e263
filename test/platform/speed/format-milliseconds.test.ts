import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { serializeMilliseconds } from "../../../src/platform/speed/format-milliseconds.ts";

describe("formatMilliseconds", () => {
  it.each([
    [0, "0"],
    [0.0004, "0"],
    [0.5, "0.5"],
    [0.01, "0.01"],
    [0.9996, "1"],
    [1234.567_89, "1234.568"],
    [600_000, "600000"],
  ])("prints %d as %s", (milliseconds, text) => {
    expect(serializeMilliseconds(milliseconds)).toBe(text);
  });

  it("prints what JSON prints of the same rounded to the microsecond", () => {
    const durations = fc.double({ min: 0, max: 1e9, noNaN: true });
    fc.assert(
      fc.property(durations, (milliseconds) => {
        expect(Number(serializeMilliseconds(milliseconds))).toBe(
          Math.round(milliseconds * 1000) / 1000,
        );
      }),
    );
  });
});

import { describe, expect, test } from "vitest";
import { parseTraceparent } from "../../../src/platform/telemetry/trace-context.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const spanId = "00f067aa0ba902b7";

describe("parseTraceparent()", () => {
  test("reads ids and the sampled flag", () => {
    expect(parseTraceparent(`00-${traceId}-${spanId}-01`)).toEqual({
      traceId,
      spanId,
      traceFlags: 1,
      isRemote: true,
    });
    expect(parseTraceparent(`00-${traceId}-${spanId}-fe`)?.traceFlags).toBe(0);
  });

  test("reads the known part of a later version", () => {
    expect(parseTraceparent(`01-${traceId}-${spanId}-01-more`)?.traceId).toBe(traceId);
  });

  test.each([
    [undefined],
    [""],
    [`00-${traceId}-${spanId}`],
    [`00-${traceId}-${spanId}-01-more`],
    [`ff-${traceId}-${spanId}-01`],
    [`00-${traceId.toUpperCase()}-${spanId}-01`],
    [`00-${"0".repeat(32)}-${spanId}-01`],
    [`00-${traceId}-${"0".repeat(16)}-01`],
  ])("takes %s for none", (header) => {
    expect(parseTraceparent(header)).toBeUndefined();
  });
});

import { describe, expect, it } from "vitest";
import { isoDateToEpochMilliseconds } from "../../src/platform/json-value.ts";

describe("isoDateToEpochMilliseconds", () => {
  it.each([
    ["9999-12-31T23:59:59.999Z", Date.UTC(9999, 11, 31, 23, 59, 59, 999)],
    ["9999-12-31T23:59:59-01:00", undefined],
    ["+010000-01-01T00:00:00Z", undefined],
    ["1984-12-31T23:59:59Z", undefined],
    ["no date", undefined],
  ])("reads %s as %s", (text, time) => {
    expect(isoDateToEpochMilliseconds(text)).toBe(time);
  });
});

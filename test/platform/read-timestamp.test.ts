import { describe, expect, it } from "vitest";
import { create } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { requestTimestampToDate } from "../../src/platform/read-timestamp.ts";

describe("requestTimestampToDate()", () => {
  it("reads the last nanosecond of the year 9999 as its last millisecond", () => {
    const last = create(TimestampSchema, { seconds: 253_402_300_799n, nanos: 999_999_999 });
    expect(requestTimestampToDate(last, "expires_at").toISOString()).toBe(
      "9999-12-31T23:59:59.999Z",
    );
  });

  it("refuses a time after the year 9999", () => {
    const later = create(TimestampSchema, { seconds: 253_402_300_800n });
    expect(() => requestTimestampToDate(later, "expires_at")).toThrow(
      "`expires_at` must be a time",
    );
  });
});

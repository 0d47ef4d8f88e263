import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newResourceId, resourceIdTimestamp } from "../../src/platform/ids.ts";

describe("newResourceId()", () => {
  it("is a prefix and 26 characters of lower-case base32", () => {
    expect(newResourceId("user")).toMatch(/^user_[0-9a-hjkmnp-tv-z]{26}$/);
  });

  it("pins the time part", () => {
    expect(newResourceId("req", 1_732_150_000_000).slice(4, 14)).toBe("01jd62yyc0");
  });

  it("sorts by time", () => {
    const time = fc.integer({ min: 0, max: 2 ** 48 });
    fc.assert(
      fc.property(time, time, (one, other) => {
        fc.pre(one !== other);
        expect(newResourceId("key", one) < newResourceId("key", other)).toBe(one < other);
      }),
    );
  });

  it("repeats none of a hundred thousand", () => {
    const ids = new Set(Array.from({ length: 100_000 }, () => newResourceId("call", 1)));
    expect(ids.size).toBe(100_000);
  });
});

describe("resourceIdTimestamp()", () => {
  it("is the time of an id", () => {
    expect(resourceIdTimestamp(newResourceId("call", 1_732_150_000_000))).toBe(1_732_150_000_000);
  });

  it.each(["call_1", `call_${"z".repeat(26)}`, `call_7zzzzzzzzz${"0".repeat(16)}`])(
    "is undefined for %s",
    (id) => {
      expect(resourceIdTimestamp(id)).toBeUndefined();
    },
  );
});

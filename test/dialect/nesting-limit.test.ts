import { describe, expect, it } from "vitest";
import { exceedsMaxJsonDepth } from "../../src/dialect/nesting-limit.ts";

describe("exceedsMaxLevels", () => {
  it("counts objects and lists up to 256 levels", () => {
    expect(exceedsMaxJsonDepth(`${"[".repeat(256)}${"]".repeat(256)}`)).toBe(false);
    expect(exceedsMaxJsonDepth(`${'{"a":'.repeat(257)}1${"}".repeat(257)}`)).toBe(true);
    expect(exceedsMaxJsonDepth("[".repeat(257))).toBe(true);
  });

  it("leaves out brackets in strings, and those that were closed", () => {
    expect(exceedsMaxJsonDepth(JSON.stringify(`"${"[".repeat(1000)}`))).toBe(false);
    expect(exceedsMaxJsonDepth(`[${"[],".repeat(1000)}1]`)).toBe(false);
  });
});

import { describe, expect, it } from "vitest";
import { exceedsMaxLevels } from "../../src/dialect/nesting-limit.ts";

describe("exceedsMaxLevels", () => {
  it("counts objects and lists up to 256 levels", () => {
    expect(exceedsMaxLevels(`${"[".repeat(256)}${"]".repeat(256)}`)).toBe(false);
    expect(exceedsMaxLevels(`${'{"a":'.repeat(257)}1${"}".repeat(257)}`)).toBe(true);
    expect(exceedsMaxLevels("[".repeat(257))).toBe(true);
  });

  it("leaves out brackets in strings, and those that were closed", () => {
    expect(exceedsMaxLevels(JSON.stringify(`"${"[".repeat(1000)}`))).toBe(false);
    expect(exceedsMaxLevels(`[${"[],".repeat(1000)}1]`)).toBe(false);
  });
});

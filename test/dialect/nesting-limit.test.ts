import { describe, expect, it } from "vitest";
import { nestsTooDeep } from "../../src/dialect/nesting-limit.ts";

describe("nestsTooDeep", () => {
  it("counts objects and lists up to 256 levels", () => {
    expect(nestsTooDeep(`${"[".repeat(256)}${"]".repeat(256)}`)).toBe(false);
    expect(nestsTooDeep(`${'{"a":'.repeat(257)}1${"}".repeat(257)}`)).toBe(true);
    expect(nestsTooDeep("[".repeat(257))).toBe(true);
  });

  it("leaves out brackets in strings, and those that were closed", () => {
    expect(nestsTooDeep(JSON.stringify(`"${"[".repeat(1000)}`))).toBe(false);
    expect(nestsTooDeep(`[${"[],".repeat(1000)}1]`)).toBe(false);
  });
});

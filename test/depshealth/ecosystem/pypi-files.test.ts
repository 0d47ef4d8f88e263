import { describe, expect, it } from "vitest";
import { buildPypiVersionFacts } from "../../../src/depshealth/ecosystem/pypi-simple.ts";

describe("pythonVersion", () => {
  it("takes the first date of 200,000 files", () => {
    const files = Array.from({ length: 200_000 }, (_, at) => ({
      uploadedAt: 200_000 - at,
      isYanked: false,
      reason: null,
    }));
    expect(buildPypiVersionFacts("1.0", files).releasedAt).toBe(1);
  });
});

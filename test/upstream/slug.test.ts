import { describe, expect, it } from "vitest";
import { buildUniqueEndpointSlug } from "../../src/upstream/slug.ts";

describe("freeSlug()", () => {
  it.each([
    ["My Endpoint", "my-endpoint"],
    ["  --A__b..C--  ", "a-b-c"],
    ["Ünïcödé", "unicode"],
    ["ＧＰＵ №1", "gpu-no1"],
    ["日本", "endpoint"],
    ["!!!", "endpoint"],
    ["a".repeat(200), "a".repeat(63)],
    [`${"a".repeat(62)} b`, "a".repeat(62)],
    ["Custom", "custom-2"],
  ])("makes of %j the slug %s", (label, slug) => {
    expect(buildUniqueEndpointSlug(label, new Set())).toBe(slug);
  });

  it("counts on from 2 until the slug is free", () => {
    expect(buildUniqueEndpointSlug("gpu", new Set(["gpu"]))).toBe("gpu-2");
    expect(buildUniqueEndpointSlug("gpu", new Set(["gpu", "gpu-2", "gpu-4"]))).toBe("gpu-3");
    expect(buildUniqueEndpointSlug("custom", new Set(["custom-2"]))).toBe("custom-3");
  });

  it("[slug.form] keeps to 63 characters with the number", () => {
    const long = "a".repeat(63);
    const slug = buildUniqueEndpointSlug(long, new Set([long]));
    expect(slug).toBe(`${"a".repeat(61)}-2`);
  });
});

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isModelAllowed } from "../../../src/gateway/routing/allows-model.ts";

describe("allowsModel()", () => {
  it("[key.allowed-models] means what the regular expression would mean", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "/", "*", ".") });
    fc.assert(
      fc.property(letters, letters, (pattern, id) => {
        const source = pattern
          .split("*")
          .map((part) => part.replaceAll(".", "\\."))
          .join(".*");
        expect(isModelAllowed([pattern], id)).toBe(new RegExp(`^${source}$`, "s").test(id));
      }),
    );
  });

  it("stays fast with many stars", () => {
    const started = performance.now();
    expect(isModelAllowed([`${"a*".repeat(200)}b`], "a".repeat(500))).toBe(false);
    expect(performance.now() - started).toBeLessThan(100);
  });
});

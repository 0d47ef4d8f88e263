import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isModelAllowed } from "../../../src/gateway/routing/allows-model.ts";
import { expectLinear } from "../../support/growth.ts";

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

  it("takes linear time with many stars", () => {
    const pattern = `${"a*".repeat(200)}b`;
    expectLinear(5000, (size) => {
      const id = "a".repeat(size);
      return () => expect(isModelAllowed([pattern], id)).toBe(false);
    });
  });
});

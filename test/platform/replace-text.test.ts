import fc from "fast-check";
import { expect, it } from "vitest";
import { replaceAllInLinearTime } from "../../src/platform/replace-text.ts";
import { expectLinear } from "../support/growth.ts";

it("replaceAllInLinearTime replaces what replaceAll replaces", () => {
  const letters = fc.array(fc.constantFrom("a", "b", "ä", "😀"), { maxLength: 30 });
  const texts = letters.map((units) => units.join(""));
  fc.assert(
    fc.property(
      texts,
      texts.filter((wanted) => wanted !== ""),
      (text, wanted) => {
        expect(replaceAllInLinearTime(text, wanted, "[$&]")).toBe(
          text.replaceAll(wanted, () => "[$&]"),
        );
      },
    ),
  );
});

it("replaceAllInLinearTime takes time that grows with a text and a value of one repeated character", () => {
  expectLinear(300_000, (size) => {
    const half = "a".repeat(size / 256);
    const text = "a".repeat(size);
    return () => replaceAllInLinearTime(text, `${half}b${half}`, "");
  });
});

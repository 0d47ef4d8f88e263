import { describe, expect, it } from "vitest";
import { UniqueNameAllocator } from "../../src/platform/numbered-names.ts";
import { expectLinear } from "../support/growth.ts";

describe("NumberedNames", () => {
  it("gives each name once, with the next number that is free", () => {
    const names = new UniqueNameAllocator(["a", "a_3"]);
    const given = ["b", "a", "a", "a_2", "a"].map((name) => names.take(name));
    expect(given).toEqual(["b", "a_2", "a_4", "a_2_2", "a_5"]);
    expect(names.has("a_4")).toBe(true);
  });

  it("gives many of one name in linear time", () => {
    expectLinear(4000, (size) => () => {
      const names = new UniqueNameAllocator();
      for (let count = 0; count < size; count++) names.take("call");
    });
  });
});

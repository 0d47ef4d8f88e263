import { expect, test } from "vitest";
import { ExpiringSet } from "../../src/account/expiring-set.ts";

test("members leave on time", () => {
  const set = new ExpiringSet(10, 1000);
  set.add("a", 0);
  expect(set.has("a", 999)).toBe(true);
  expect(set.has("a", 1000)).toBe(false);
  expect(set.has("b", 0)).toBe(false);
});

test("a flood pushes the oldest out", () => {
  const set = new ExpiringSet(2, 1000);
  for (const member of ["a", "b", "a", "c"]) set.add(member, 0);
  expect(["a", "b", "c"].filter((member) => set.has(member, 0))).toEqual(["a", "c"]);
});

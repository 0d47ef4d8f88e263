import { describe, expect, test } from "vitest";
import { chosen, readOptions } from "./options.ts";

describe("readOptions()", () => {
  test("nothing said: nine rounds of every case and variant", () => {
    const { settings, cases, variants } = readOptions([]);
    expect(settings.rounds).toBe(9);
    expect([cases, variants]).toEqual([[], []]);
  });

  test("what is said wins over --quick", () => {
    const { settings } = readOptions(["--quick", "--requests", "77"]);
    expect(settings).toMatchObject({ rounds: 2, requests: 77 });
  });

  test("--case and --variant may be repeated", () => {
    const words = ["--case", "small", "--case", "large", "--variant", "bare"];
    expect(readOptions(words)).toMatchObject({ cases: ["small", "large"], variants: ["bare"] });
  });

  test.each(["0", "-1", "1.5", "many", "101"])("--rounds %s is refused", (rounds) => {
    expect(() => readOptions([`--rounds=${rounds}`])).toThrow("--rounds must be an integer");
  });

  test("an unknown option is refused", () => {
    expect(() => readOptions(["--fast"])).toThrow("--fast");
  });
});

describe("chosen()", () => {
  const items = [{ name: "a" }, { name: "b" }];

  test("names none: all", () => {
    expect(chosen("case", items, [])).toEqual(items);
  });

  test("keeps the items' own order", () => {
    expect(chosen("case", items, ["b", "a"])).toEqual(items);
  });

  test("an unknown name is refused, and the known ones named", () => {
    expect(() => chosen("case", items, ["c"])).toThrow("there is no case c, there are a, b");
  });
});

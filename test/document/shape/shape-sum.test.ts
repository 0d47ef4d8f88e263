import { describe, expect, it } from "vitest";
import { isLearnablePropertyName } from "../../../src/document/name/field-name.ts";
import { inferJsonShape } from "../../../src/document/shape/infer-shape.ts";
import { learnPathTreeFromHar } from "../../../src/document/state/learn-capture.ts";
import { expectLinear } from "../../support/growth.ts";
import { harBytes } from "../har.ts";

const syllables = "ba ce di fo ga he la me ni po ra se ti vo re co de lo ma pe".split(" ");

/** Different names of properties. */
const names = syllables
  .flatMap((one) => syllables.map((other) => one + other))
  .flatMap((one) => syllables.map((other) => `${one}_${other}`))
  .filter(isLearnablePropertyName);

function namesOf(size: number): readonly string[] {
  expect(names.length).toBeGreaterThanOrEqual(size);
  return names.slice(0, size);
}

describe("objects that have nothing in common", () => {
  it.each([
    ["a list", (objects: readonly object[]) => objects],
    [
      "a map",
      (objects: readonly object[]) =>
        Object.fromEntries(objects.map((object, index) => [`0x${index}`, object])),
    ],
  ])("are learned of %s in time that grows with their number", (_, container) => {
    expectLinear(2000, (size) => {
      const value = container(namesOf(size).map((name) => ({ [name]: 1 })));
      return () => inferJsonShape(value);
    });
  });

  it("are learned of a capture in time that grows with its length", () => {
    expectLinear(1000, (size) => {
      const url = "https://one.test/orders";
      const capture = harBytes(namesOf(size).map((name) => ({ url, responseBody: { [name]: 1 } })));
      return () => learnPathTreeFromHar(capture);
    });
  });

  it("leave every name, and none that is required", () => {
    const some = namesOf(37);
    const { items } = inferJsonShape(some.map((name) => ({ [name]: 1 })));
    const properties = items?.object?.properties ?? new Map();
    expect([...properties.keys()]).toEqual(some);
    expect([...properties.values()].some(({ required }) => required)).toBe(false);
  });
});

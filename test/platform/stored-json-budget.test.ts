import { expect, it } from "vitest";
import { ApiError } from "../../src/platform/errors.ts";
import { StoredJsonParseBudget } from "../../src/platform/stored-json-budget.ts";

const tooMany = () => new ApiError("request_too_large", "Too many.");
const list = (values: number) => Buffer.from(JSON.stringify(Array<number>(values).fill(0)));

it("StoredJsonParseBudget bounds the values of all texts together and counts their memory", () => {
  const held: number[] = [];
  const hold = (bytes: number) => {
    held.push(bytes);
    return () => undefined;
  };
  const budget = new StoredJsonParseBudget(hold, 25_000);
  expect(budget.parse(list(9000), tooMany)).toHaveLength(9000);
  expect(held).toEqual([]);
  expect(budget.parse(list(9000), tooMany)).toHaveLength(9000);
  expect(held).toEqual([1_800_000]);
  expect(() => budget.parse(list(9000), tooMany)).toThrow("Too many.");
  expect(budget.parseMember(new Map([["a", list(2)]]), "a", tooMany)).toEqual([0, 0]);
  expect(budget.parseMember(new Map(), "a", tooMany)).toBeUndefined();
});

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { median, pairedDifference, pairedRatio, quantile, spread } from "./statistics.ts";

const numbers = fc.array(fc.double({ noNaN: true, min: -1e6, max: 1e6 }), { minLength: 1 });

describe("quantile()", () => {
  test("is the nearest rank", () => {
    const values = [5, 1, 4, 2, 3];
    expect(quantile(values, 0)).toBe(1);
    expect(quantile(values, 0.5)).toBe(3);
    expect(quantile(values, 0.99)).toBe(5);
    expect(quantile(values, 1)).toBe(5);
  });

  test("is one of the values, and at least the wanted share does not exceed it", () => {
    fc.assert(
      fc.property(numbers, fc.double({ min: 0, max: 1, noNaN: true }), (values, rank) => {
        const found = quantile(values, rank) ?? Number.NaN;
        expect(values).toContain(found);
        const share = values.filter((value) => value <= found).length / values.length;
        expect(share).toBeGreaterThanOrEqual(rank);
      }),
    );
  });

  test("of nothing is nothing", () => {
    expect(quantile([], 0.5)).toBeUndefined();
  });
});

describe("median()", () => {
  test("is the middle value, or the mean of the middle two", () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([9, 1, 5, 6])).toBe(5.5);
    expect(median([])).toBeUndefined();
  });

  test("does not change the order of its values", () => {
    const values = [3, 1, 2];
    median(values);
    expect(values).toEqual([3, 1, 2]);
  });
});

describe("spread()", () => {
  test("gives median, least and greatest", () => {
    expect(spread([2, 8, 4])).toEqual({ median: 4, min: 2, max: 8 });
    expect(spread([])).toBeUndefined();
  });
});

describe("pairedRatio()", () => {
  test("compares each round with itself only", () => {
    expect(pairedRatio([2, 30, 4], [1, 10, 4])).toEqual({ median: 2, min: 1, max: 3 });
  });

  test("leaves out rounds with a hole and divisions by zero", () => {
    expect(pairedRatio([2, undefined, 4, 5], [1, 1, 0])).toEqual({ median: 2, min: 2, max: 2 });
    expect(pairedRatio([1], [])).toBeUndefined();
  });
});

describe("pairedDifference()", () => {
  test("keeps the rounds in place, holes included", () => {
    expect(pairedDifference([3, undefined, 5], [1, 1])).toEqual([2, undefined, undefined]);
  });
});

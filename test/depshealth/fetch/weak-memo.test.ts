import { expect, it } from "vitest";
import { WeakMemo } from "../../../src/depshealth/fetch/weak-memo.ts";

it("makes a thing once for the same objects", () => {
  const derived = new WeakMemo();
  const [first, second, other] = [{}, {}, {}];
  let made = 0;
  const get = (...sources: object[]) => derived.get("sum", sources, () => ({ number: ++made }));
  expect(get(first, second)).toBe(get(first, second));
  expect(get(first, other)).not.toBe(get(first, second));
  expect(made).toBe(3);
});

it("keeps few variants, so that callers cannot make them pile up", () => {
  const derived = new WeakMemo();
  const source = {};
  let made = 0;
  const get = (variant: number) => derived.get(String(variant), [source], () => ++made);
  for (let variant = 0; variant < 100; variant++) get(variant);
  expect(get(99)).toBe(100);
  expect(get(0)).toBe(101);
});

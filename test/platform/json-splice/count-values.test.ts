import { expect, it } from "vitest";
import { countJsonValues } from "../../../src/platform/json-splice/count-values.ts";

it.each([
  ["{}", 1],
  ['{"a":1,"b":[2,3]}', 4],
  [String.raw`{"a":"\\\"{[,","b":"\\\\"}`, 2],
  ['"{[,', 0],
])("countValues counts the values of %s outside its texts", (text, count) => {
  expect(countJsonValues(Buffer.from(text), 100)).toBe(count);
});

it("countValues stops beyond the most", () => {
  expect(countJsonValues(Buffer.from("[,".repeat(1000)), 10)).toBe(11);
});

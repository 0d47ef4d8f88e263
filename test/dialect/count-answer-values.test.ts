import { expect, it } from "vitest";
import { countUpstreamJsonValues } from "../../src/dialect/count-answer-values.ts";

it.each([
  ["[1,{},[]]", 5],
  ['{"a":1}', 5],
  ['{"a":1,"b":{"c":[]}}', 16],
  ['{"token":"a","logprob":-1,"bytes":[1,2],"top_logprobs":[]}', 7],
  ['{"tokens":"a"}', 5],
  ['{ "token" : 1 }', 1],
  ['["a:b,{", 1]', 2],
  ['{"\\u0074oken":1}', 5],
  ['{"a', 1],
])("countAnswerValues counts the values of %s", (text, count) => {
  expect(countUpstreamJsonValues(Buffer.from(text), 100)).toBe(count);
});

it("countUpstreamJsonValues stops beyond the maximum", () => {
  expect(countUpstreamJsonValues(Buffer.from("[,".repeat(1000)), 10)).toBe(11);
});

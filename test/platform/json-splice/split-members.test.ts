import { expect, it } from "vitest";
import { splitJsonMembers } from "../../../src/platform/json-splice/split-members.ts";

it.each([
  {},
  { one: 1 },
  { input: [{ text: 'a "}],{' }, [], {}], response: {}, output: [[1, 2], "é\\", true, null] },
  { 'a"b\\': "x", b: -1.5e3, "": "" },
])("splitJsonMembers returns the bytes of each member of %j", (object) => {
  const members = splitJsonMembers(Buffer.from(JSON.stringify(object)));
  const texts = Object.fromEntries([...members].map(([name, json]) => [name, json.toString()]));
  const expected = Object.entries(object).map(([name, value]) => [name, JSON.stringify(value)]);
  expect(texts).toEqual(Object.fromEntries(expected));
});

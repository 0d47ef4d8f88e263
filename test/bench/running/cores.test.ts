import { expect, test } from "vitest";
import { parseCoreList } from "./cores.ts";

test.each([
  ["0-1", [0, 1]],
  ["3", [3]],
  ["0-2,5,8-9", [0, 1, 2, 5, 8, 9]],
  ["", []],
])("the cores of %j are %j", (list, cores) => {
  expect(parseCoreList(list)).toEqual(cores);
});

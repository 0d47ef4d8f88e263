import { expect, test } from "vitest";
import { parseCoreList } from "./cores.ts";

test.each([
  ["0-1", [0, 1]],
  ["3", [3]],
  ["0-2,5,8-9", [0, 1, 2, 5, 8, 9]],
  ["", []],
])("reads the list of cores %j as %j", (list, cores) => {
  expect(parseCoreList(list)).toEqual(cores);
});

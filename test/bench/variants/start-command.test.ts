import { expect, test } from "vitest";
import { environmentOf, nodeParameters } from "./start-command.ts";

test.each([
  ["exec node bin/causeway.js serve", ["bin/causeway.js"]],
  ["exec node --flag=8 --other bin/causeway.js serve", ["--flag=8", "--other", "bin/causeway.js"]],
])("of %j Node gets %j", (script, parameters) => {
  expect(nodeParameters(script)).toEqual(parameters);
});

test("what a script sets before Node is kept", () => {
  expect(environmentOf("A=1 B_2=x=y exec node --flag=8 program.js")).toEqual({
    A: "1",
    B_2: "x=y",
  });
  expect(environmentOf("exec node --flag=8 program.js")).toEqual({});
});

test("a script without Node is refused", () => {
  expect(() => nodeParameters("exec deno serve")).toThrow("does not start Node");
});

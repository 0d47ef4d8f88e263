import { expect, test } from "vitest";
import { nodeParameters } from "./start-command.ts";

test.each([
  ["exec node bin/causeway.js serve", ["bin/causeway.js"]],
  ["exec node --flag=8 --other bin/causeway.js serve", ["--flag=8", "--other", "bin/causeway.js"]],
])("of %j Node gets %j", (script, parameters) => {
  expect(nodeParameters(script)).toEqual(parameters);
});

test("a script without Node is refused", () => {
  expect(() => nodeParameters("exec deno serve")).toThrow("does not start Node");
});

import { expect, it } from "vitest";
import { setOwnMember } from "../../src/dialect/json.ts";

it("setOwnMember replaces a member that is called `__proto__`", () => {
  const object = {};
  setOwnMember(object, "__proto__", { x: 1 });
  setOwnMember(object, "__proto__", { x: 2 });
  expect(JSON.stringify(object)).toBe('{"__proto__":{"x":2}}');
});

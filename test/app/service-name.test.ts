import { expect, it } from "vitest";
import { parseServiceSelection } from "../../src/app/service-name.ts";

it.each([
  ["all", ["gateway", "tools"]],
  ["gateway", ["gateway"]],
  ["tools", ["tools"]],
  ["nonsense", undefined],
  ["toString", undefined],
])("servicesNamed() reads the name %j as the services %j", (word, services) => {
  expect(parseServiceSelection(word)).toEqual(services);
});

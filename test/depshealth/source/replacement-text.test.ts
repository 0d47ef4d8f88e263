import { expect, it } from "vitest";
import { alternativesIn } from "../../../src/depshealth/source/alternatives-text.ts";
import { replacementIn } from "../../../src/depshealth/source/replacement-text.ts";
import type { Ecosystem } from "../../../src/depshealth/facts.ts";

const named: readonly (readonly [Ecosystem, string, string])[] = [
  [
    "npm",
    "old-thing is now @scope/new-thing. It will no longer receive updates.",
    "@scope/new-thing",
  ],
  ["npm", "this package has been deprecated, use `ci-thing` instead", "ci-thing"],
  ["npm", "Please use fresh instead", "fresh"],
  ["npm", "Moved to @scope/fresh", "@scope/fresh"],
  ["npm", "old is deprecated in favour of fresh", "fresh"],
  ["npm", "not supported any more, use fresh-cache if you want a tested way", "fresh-cache"],
  ["pypi", "Use freshlib.", "freshlib"],
  ["pypi", "renamed to fresh-lib", "fresh-lib"],
  ["go", 'Use the "go.example/fresh/lib" module instead.', "go.example/fresh/lib"],
  ["go", "use go.example/fresh/v2 instead", "go.example/fresh/v2"],
  ["maven", "moved to com.fresh:lib", "com.fresh:lib"],
  ["packagist", "abandoned, use fresh/lib instead", "fresh/lib"],
];

it.each(named)("%s: %j names %s", (ecosystem, text, name) => {
  expect(replacementIn(text, ecosystem, "own")).toBe(name);
});

it.each([
  "old has been deprecated, see https://example.org/issues/1",
  "Please, upgrade your dependencies to the actual version of own.",
  "please upgrade to version 7 or higher",
  "upgrade to v4",
  "use 0.5.x",
  "Use your platform's native thing instead",
  "Use at your own risk",
  "is legacy, use the URL API instead.",
  "Use String.prototype.padStart()",
  "Moved to its own repository",
  "use own instead",
  "",
])("%j names none", (text) => {
  expect(replacementIn(text, "npm", "own")).toBeUndefined();
});

it("reads a very long text in a moment", () => {
  const texts = ["use ".repeat(50_000), `use ${"a".repeat(200_000)}`, `${" ".repeat(200_000)}use`];
  const began = performance.now();
  for (const text of texts) replacementIn(text, "npm", "own");
  expect(performance.now() - began).toBeLessThan(200);
});

it.each([
  [
    "## Possible Alternative(s)\n\n- [`anyway`](https://example.org)\n- [eyes](https://example.org)",
    ["anyway", "eyes"],
  ],
  [
    "The author is gone.\n\nAlternatives:\n * fresh-one: faster\n * fresh_two",
    ["fresh-one", "fresh_two"],
  ],
  ["Please use `socket-two` instead.", ["socket-two"]],
  ["Nobody knows what to use.", []],
])("an advisory offers alternatives: %j", (text, names) => {
  expect(alternativesIn(text, "cargo", "own")).toEqual(names);
});

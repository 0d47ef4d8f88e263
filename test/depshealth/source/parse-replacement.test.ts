import { describe, expect, it } from "vitest";
import { parseAdvisoryAlternatives } from "../../../src/depshealth/source/parse-alternatives.ts";
import { parseReplacementMessage } from "../../../src/depshealth/source/parse-replacement.ts";
import { unmaintainedCrates } from "./unmaintained-crates.ts";
import type { Ecosystem } from "../../../src/depshealth/facts.ts";
import { expectLinear } from "../../support/growth.ts";

const named: readonly (readonly [Ecosystem, string, string])[] = [
  [
    "npm",
    "old-thing is now @scope/new-thing. It will no longer receive updates.",
    "@scope/new-thing",
  ],
  ["npm", "this package has been deprecated, use `ci-thing` instead", "ci-thing"],
  ["npm", "Moved to @scope/fresh", "@scope/fresh"],
  ["npm", "in favour of [fresh](https://site.example/package/fresh)", "fresh"],
  ["pypi", "Use 'freshlib'.", "freshlib"],
  ["go", 'Use the "go.example/fresh/lib" module instead.', "go.example/fresh/lib"],
  ["go", "use go.example/fresh/v2 instead", "go.example/fresh/v2"],
  ["maven", "moved to com.fresh:lib", "com.fresh:lib"],
  ["packagist", "abandoned, use fresh/lib instead", "fresh/lib"],
];

it.each(named)("reads in a text of %s the replacement: %j names %s", (ecosystem, text, name) => {
  expect(parseReplacementMessage(text, ecosystem, "own")).toBe(name);
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
  "use `own` instead",
  "Please use fresh instead",
  "old is deprecated in favour of fresh",
  "Older versions may use Math.random() in certain circumstances",
  "Use require('node:util').isDeepStrictEqual instead.",
  "",
])("[successors.quoted] reads no replacement in %j", (text) => {
  expect(parseReplacementMessage(text, "npm", "own")).toBeUndefined();
});

it.each<readonly [string, (size: number) => string]>([
  ["words", (size) => "use ".repeat(size / 4)],
  ["a name", (size) => `use ${"a".repeat(size)}`],
  ["spaces", (size) => `${" ".repeat(size)}use`],
])("reads a very long text of %s in linear time", (_what, textOf) => {
  expectLinear(100_000, (size) => {
    const text = textOf(size);
    return () => parseReplacementMessage(text, "npm", "own");
  });
});

it.each([
  [
    "## Possible Alternative(s)\n\n- [`anyway`](https://example.org)\n- [eyes](https://example.org)",
    ["anyway", "eyes"],
  ],
  [
    "The author is gone.\n\nAlternatives:\n * `fresh-one`: faster\n * `fresh_two`",
    ["fresh-one", "fresh_two"],
  ],
  ["Please use `socket-two` instead.", ["socket-two"]],
  ["Please use socket-two instead.", []],
  ["Nobody knows what to use.", []],
])("reads the alternatives of the advisory %j", (text, names) => {
  expect(parseAdvisoryAlternatives("own is unmaintained", text, "cargo", "own")).toEqual(names);
});

describe("RustSec's advisories on unmaintained crates", () => {
  it.each(unmaintainedCrates)(
    "[successors.quoted] $id: $name, $successor",
    ({ name, title, text, successor }) => {
      expect(parseAdvisoryAlternatives(title, text, "cargo", name)[0] ?? null).toBe(successor);
    },
  );

  it("are all there, and name a successor for most", () => {
    expect(unmaintainedCrates).toHaveLength(258);
    expect(unmaintainedCrates.filter(({ successor }) => successor !== null).length).toBeGreaterThan(
      150,
    );
  });
});

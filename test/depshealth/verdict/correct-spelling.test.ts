import { describe, expect, it } from "vitest";
import type { Ecosystem } from "../../../src/depshealth/facts.ts";
import { formatNameCorrectionAdvice } from "../../../src/depshealth/verdict/correct-spelling.ts";
import { judged } from "./known-package.ts";

const cases: readonly (readonly [Ecosystem, string, string])[] = [
  ["npm", "lodash@4.17.21", "write the name as `lodash` and the version as `4.17.21`"],
  ["npm", "@scope/a@^1", "write the name as `@scope/a` and the version as `^1`"],
  ["npm", "Express", "write the name as `express`"],
  ["npm", "https://registry.example/package/@scope/a", "write the name as `@scope/a`"],
  ["npm", "pkg:npm/%40scope/a@1.0.0", "write the name as `@scope/a` and the version as `1.0.0`"],
  ["pypi", "requests[socks]", "write the name as `requests`"],
  ["pypi", "requests[socks]==2.32.0", "write the name as `requests` and the version as `2.32.0`"],
  ["pypi", "https://index.example/project/requests/", "write the name as `requests`"],
  ["cargo", "serde@1.0", "write the name as `serde` and the version as `1.0`"],
  ["maven", "com.google.guava/guava", "write the name as `com.google.guava:guava`"],
  ["maven", "a.b:c:1.0", "write the name as `a.b:c` and the version as `1.0`"],
  ["packagist", "monolog:monolog", "write the name as `monolog/monolog`"],
  ["go", "https://github.com/a/b", "write the name as `github.com/a/b`"],
  ["go", "github.com/a/b@v1.2.0", "write the name as `github.com/a/b` and the version as `v1.2.0`"],
  ["go", "github.com/a/b/v2/pkg", "write the name as `github.com/a/b/v2`"],
  ["go", "github.com/a/b/pkg/c", "write the name as `github.com/a/b`"],
];

const names: readonly (readonly [Ecosystem, string])[] = [
  ["npm", "lodash"],
  ["npm", "@scope/a"],
  ["pypi", "zope.interface"],
  ["cargo", "Inflector"],
  ["rubygems", "RedCloth"],
  ["nuget", "Newtonsoft.Json"],
  ["maven", "a.b:c"],
  ["packagist", "monolog/monolog"],
  ["go", "github.com/a/b/v2"],
  ["go", "go.example/lib"],
];

describe("a name that there is not", () => {
  it.each(cases)(
    "[names.meant] of %s, %s, is told its right spelling",
    (ecosystem, written, advice) => {
      expect(formatNameCorrectionAdvice(ecosystem, written)).toBe(advice);
      const changes = { ecosystem, name: written, existence: "not_found", versions: [] } as const;
      const [reason] = judged(changes).reasons;
      expect(reason).toMatchObject({ code: "not_found", message: expect.stringContaining(advice) });
      expect(reason.message).not.toContain("invented");
    },
  );

  it.each(names)("of %s, %s, is just not there", (ecosystem, name) => {
    expect(formatNameCorrectionAdvice(ecosystem, name)).toBeUndefined();
  });
});

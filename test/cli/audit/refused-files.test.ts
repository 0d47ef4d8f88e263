import { afterEach, describe, expect, it, vi } from "vitest";
import { dependencyFileFormats } from "../../../src/manifest/file-formats.ts";
import { splitIntoQueryPages } from "../../../src/cli/audit/query-pages.ts";
import { audit } from "./audit-project.ts";

const other = { "package.json": '{"dependencies":{"a":"1.0.0"}}' };

describe("an audit with a file that its parser refuses", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it.each([
    ["pom.xml", "project"],
    ["app.csproj", "Project"],
    ["packages.config", "packages"],
    ["nuget.config", "configuration"],
    ["bom.xml", "bom"],
  ])("reads the other files and reports a %s whose document type is refused", (name, root) => {
    for (const type of ['<!ENTITY x SYSTEM "file:///etc/passwd">', "<!FOO>"]) {
      const text = `<!DOCTYPE p [${type}]><${root}></${root}>`;
      expect(audit({ ...other, [name]: text })).toEqual({
        asked: ["a 1.0.0"],
        unread: [`${name}:-: invalid_xml`],
      });
    }
  });

  it("reports a file of any format", () => {
    for (const format of dependencyFileFormats) {
      if (format.name === "package.json") continue;
      vi.spyOn(format, "read").mockImplementation(() => {
        throw new TypeError("unexpected");
      });
    }
    expect(audit({ ...other, "Cargo.lock": "[", "go.mod": "module a", Gemfile: "gem" })).toEqual({
      asked: ["a 1.0.0"],
      unread: ["Cargo.lock:-: invalid", "Gemfile:-: invalid", "go.mod:-: invalid"],
    });
  });
});

describe("paginatePackageQueries", () => {
  it.each(["npm", "pypi"] as const)("fits the ranges of %s into the request", (ecosystem) => {
    const questions = Array.from({ length: 60 }, (_, at) => ({
      ecosystem,
      name: `p${at}`,
      requested: `>=1${"\v".repeat(1900)}<2`,
      version: undefined,
      constraint: "range" as const,
      locations: [],
    }));
    const pages = splitIntoQueryPages(questions);
    expect(pages.flatMap((page) => page.questions)).toEqual(questions);
    for (const { request } of pages) {
      expect(request["manifest"]).toSatisfy((manifest: string) => manifest.length <= 60_000);
    }
  });
});

import { describe, expect, it } from "vitest";
import { audit, type Case } from "./audit-project.ts";

it.each<[string, Case["files"], readonly string[]]>([
  [
    "a block of a go.mod without a space",
    {
      "go.mod":
        "module m\nrequire(\n\texample.com/a v1.0.0\n)\nreplace(\n\tb => example.com/c v1.0.0\n)\n",
    },
    ["example.com/a v1.0.0", "example.com/c v1.0.0"],
  ],
  [
    "extra build dependencies of uv",
    { "pyproject.toml": '[tool.uv.extra-build-dependencies]\na = ["evil==1"]\n' },
    ["evil ==1"],
  ],
])("the audit asks about %s", (_what, files, asked) => {
  expect(audit(files)).toEqual({ asked, unread: [] });
});

it.each<[string, Case["files"], string]>([
  [
    "packages of a package-lock.json in a list",
    { "package-lock.json": { json: { lockfileVersion: 3, packages: [{ name: "evil" }] } } },
    "package-lock.json:1: invalid_lock",
  ],
  [
    "packages of a pnpm-lock.yaml in a list",
    { "pnpm-lock.yaml": "lockfileVersion: '9.0'\npackages:\n  - evil@1.0.0\n" },
    "pnpm-lock.yaml:1: invalid_lock",
  ],
  [
    "packages of a bun.lock in a list",
    { "bun.lock": { json: { lockfileVersion: 1, packages: [["evil@1.0.0"]] } } },
    "bun.lock:1: invalid_lock",
  ],
  [
    "a module of a pom.xml in a folder that the search passes over",
    { "pom.xml": "<project><modules><module>vendor/m</module></modules></project>" },
    "vendor/m:-: not_entered",
  ],
  [
    "a repository of a pom.xml without dependencies",
    {
      "pom.xml":
        "<project><repositories><repository><url>https://evil.example</url></repository></repositories></project>",
    },
    "pom.xml:-: registry",
  ],
])("the audit reports %s", (_what, files, unread) => {
  expect(audit(files)).toEqual({ asked: [], unread: [unread] });
});

it("the audit reports the source of a Gemfile that has a gemspec alone", () => {
  const files = { Gemfile: "source 'https://evil.example'\ngemspec\n" };
  expect(audit(files).unread).toEqual(["Gemfile:2: include", "Gemfile:2: registry"]);
});

it("the audit reports a gem that a call with a receiver names", () => {
  expect(audit({ Gemfile: "self.gem 'evil'\n" }).unread).toEqual(["Gemfile:1: expression"]);
});

it("the audit asks about a package that a patch of Bun changes, and reports the patch", () => {
  const packages = { a: ["a@1.0.0", "", {}, "sha512-"] };
  const json = { lockfileVersion: 1, packages, patchedDependencies: { "a@1.0.0": "a.patch" } };
  expect(audit({ "bun.lock": { json } })).toEqual({
    asked: ["a 1.0.0"],
    unread: ["bun.lock:4: local"],
  });
});

describe("the audit of an XML file that declares an encoding", () => {
  const files: readonly (readonly [name: string, root: string])[] = [
    ["pom.xml", "project"],
    ["a.csproj", "Project"],
    ["Directory.Build.props", "Project"],
    ["Directory.Packages.props", "Project"],
    ["nuget.config", "configuration"],
    [".mvn/extensions.xml", "extensions"],
    [".mvn/settings.xml", "settings"],
    ["bom.xml", "bom"],
  ];

  it.each(files)("reports a %s in one by which a comment may be code", (name, root) => {
    for (const encoding of ["ISO-2022-JP", "UTF-7", "utf-16", "IBM037", "UTF-8 "]) {
      const text = `<?xml version="1.0" encoding = '${encoding}'?>\n<${root}/>`;
      const isRead = encoding.startsWith("UTF-8");
      const unread = audit({ [name]: text }).unread.filter((row) => row.includes(": encoding"));
      expect(unread).toEqual(isRead ? [] : [`${name}:1: encoding`]);
    }
  });

  it("reports a declaration that does not end", () => {
    const text = `<?xml version="1.0" ${" ".repeat(5000)} encoding="UTF-7"?><project/>`;
    expect(audit({ "pom.xml": text }).unread).toEqual(["pom.xml:1: encoding"]);
  });

  it.each(["UTF-8", "utf8", "US-ASCII", "ISO-8859-1", "windows-1252"])("reads %s", (encoding) => {
    const text = `<?xml version="1.0" encoding="${encoding}"?>\n<project/>`;
    expect(audit({ "pom.xml": text })).toEqual({ asked: [], unread: [] });
  });
});

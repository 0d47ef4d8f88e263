import { describe, expect, it } from "vitest";
import { parseManifestTextByKind } from "../../src/manifest/read-manifest.ts";
import { expectLinear } from "../support/growth.ts";

const packageJson = JSON.stringify({ name: "x", dependencies: { left: "^1" } });

describe("a manifest of no stated kind", () => {
  it.each([
    ["an object with dependencies", packageJson],
    ["an object after white space", `\n\n  ${packageJson}`],
    ["an object without any", "{}"],
    ["an object with a mistake", '{"dependencies": {"left": "1",}}'],
  ])("is a package.json when it is %s", (_what, text) => {
    expect(parseManifestTextByKind(text, "auto").kind).toBe("package.json");
  });

  it.each([
    ["names", "left\nright>=2"],
    ["an include", "-r base.txt"],
    ["an editable", "# ours\n-e ."],
    ["a repository", "git+https://git.example/a#egg=a"],
    ["an option and a name", "--index-url https://x.example\nleft==1"],
    ["a line that cannot be read beside one that can", "left right\nleft==1"],
  ])("is a requirements.txt when it holds %s", (_what, text) => {
    expect(parseManifestTextByKind(text, "auto").kind).toBe("requirements.txt");
  });

  it.each([
    ["a yarn.lock", '# yarn lockfile v1\n\nleft@^1:\n  version "1.0.0"'],
    ["a yarn.lock", "__metadata:\n  version: 8\n"],
    ["a pnpm-lock.yaml", "lockfileVersion: '9.0'\n\nimporters:\n"],
    ["a Pipfile", '[[source]]\nurl = "x"\n\n[packages]\nleft = "*"'],
    ["a Pipfile.lock", '{"_meta": {}, "default": {}, "develop": {}}'],
    ["a poetry.lock", '[[package]]\nname = "left"\n\n[metadata]\ncontent-hash = "x"'],
    ["a uv.lock", '[[package]]\nname = "left"\nsource = { registry = "x" }'],
    ["a Cargo.lock", '[[package]]\nname = "left"\nversion = "1.0.0"'],
    ["a Cargo.toml", '[package]\nname = "left"\n\n[dependencies]\nserde = "1"'],
    ["a pyproject.toml", '[project]\nname = "left"\ndependencies = ["right"]'],
    ["a go.mod", "module example.com/left\n\ngo 1.26\n\nrequire example.com/right v1.0.0"],
    ["a go.sum", "example.com/right v1.0.0 h1:abc=\nexample.com/right v1.0.0/go.mod h1:abc="],
    ["a pom.xml", "<project><modelVersion>4.0.0</modelVersion></project>"],
    ["a csproj", '<Project Sdk="Microsoft.NET.Sdk"><ItemGroup/></Project>'],
    ["a Gemfile", "source 'https://x.example'\ngem 'rails'"],
    ["a Gemfile.lock", "GEM\n  specs:\n    rails (8.0.0)\n\nPLATFORMS\n  ruby"],
    ["a composer.json", '{"require": {"acme/left": "^1"}}'],
    ["a composer.lock", '{"content-hash": "x", "packages": []}'],
    ["a package-lock.json", '{"lockfileVersion": 3, "packages": {}}'],
    ["a CycloneDX document", '{"bomFormat": "CycloneDX", "components": []}'],
    ["a CycloneDX document", '<bom xmlns="http://cyclonedx.org/schema/bom/1.5"></bom>'],
    ["an SPDX document", '{"spdxVersion": "SPDX-2.3", "packages": []}'],
    ["an SPDX document", "SPDXVersion: SPDX-2.3\nDataLicense: CC0-1.0"],
  ])("[verdict.unparsed] is recognised by name when it is %s, and not read", (format, text) => {
    const manifest = parseManifestTextByKind(text, "auto");
    expect(manifest).toMatchObject({ kind: undefined, dependencies: [] });
    expect(manifest.unparsed).toEqual([
      { line: 1, text: text.split("\n")[0], reason: `unsupported_format: it looks like ${format}` },
    ]);
  });

  it.each([
    ["# Heading\n\nSome prose, with commas.", "unknown_format", 1],
    ["\n\n[1, 2]", "unknown_format", 3],
    ["  \n ", "empty", 1],
  ])("detects no kind in %j and says why", (text, reason, line) => {
    expect(parseManifestTextByKind(text, "auto").unparsed).toMatchObject([{ reason, line }]);
  });
});

describe("a stated kind", () => {
  it("is what the text is read as, whatever it looks like", () => {
    expect(parseManifestTextByKind("left==1", "package.json")).toMatchObject({
      kind: "package.json",
      unparsed: [{ line: 1, text: "left==1" }],
    });
    expect(parseManifestTextByKind(packageJson, "requirements.txt")).toMatchObject({
      kind: "requirements.txt",
      dependencies: [],
      unparsed: [{ line: 1, reason: "invalid_line" }],
    });
  });
});

describe("a text made to take long", () => {
  type Fill = (piece: string) => string;

  it.each<readonly [string, (fill: Fill, size: number) => string]>([
    ["spaces", (fill) => `left${fill(" ")}x`],
    ["lines", (fill) => fill("\n")],
    ["lines and spaces", (fill) => fill(" \n")],
    ["joined lines", (fill) => fill("\\\n")],
    ["clauses", (fill) => `left==${fill("1")}`],
    ["many clauses", (fill) => `left==1${fill(",==1")}`],
    ["brackets", (fill) => fill("[[package]]\n[metadata]\n")],
    ["tags", (fill) => fill("<project <bom ")],
    ["extras", (fill) => `left[${fill("a,")}`],
    ["an address", (fill) => `left @ ${fill(";")}\u2028`],
    ["options", (fill) => fill("-e ")],
    ["digits", (fill) => `left==1.${fill("0.")}x`],
    ["a specifier", (fill) => JSON.stringify({ dependencies: { left: fill("1.0.0 || ") } })],
    ["a git address", (fill) => JSON.stringify({ dependencies: { left: `git+${fill("a:")}` } })],
    ["a name", (fill) => JSON.stringify({ dependencies: { [fill("@a/")]: "1" } })],
    ["many names", (_fill, size) => manyNames(size / 15)],
    ["nesting", (fill) => `{"a":${fill("[")}`],
    ["quotes", (fill) => `{"a":"${fill('\\"')}`],
  ])("of %s takes no longer than another", (_what, textOf) => {
    expectLinear(15_000, (size) => {
      const text = textOf((piece) => piece.repeat(Math.floor(size / piece.length)), size);
      return () => {
        for (const kind of ["auto", "package.json", "requirements.txt"] as const)
          parseManifestTextByKind(text, kind);
      };
    });
  });
});

function manyNames(count: number): string {
  const names = Array.from({ length: count }, (_, index) => [`a${index}`, "1"]);
  return JSON.stringify({ dependencies: Object.fromEntries(names) });
}

import { describe, expect, it } from "vitest";
import { audit, type Content } from "./audit-project.ts";

type Files = Readonly<Record<string, Content>>;

const unreadIn = (manifest: string, files: Files) =>
  audit(files).unread.filter((row) => row.startsWith(`${manifest}:`));

const gemLock =
  "GIT\n  remote: https://github.com/b/good.git\n  revision: a\n  specs:\n    good (1.0)\n\nPATH\n  remote: here\n  specs:\n    here (1.0)\n\nGEM\n  specs:\n    rack (3.0.0)\n\nDEPENDENCIES\n  good!\n  here!\n  rack\n";
const gemfile = (line: string): Files => ({ Gemfile: `${line}\n`, "Gemfile.lock": gemLock });

const crates =
  'version = 4\n[[package]]\nname = "app"\nversion = "0.1.0"\n[[package]]\nname = "good"\nversion = "1.0.0"\nsource = "git+https://github.com/b/good#a"\n[[package]]\nname = "he_re"\nversion = "1.0.0"\n[[package]]\nname = "left"\nversion = "1.0.0"\nsource = "registry+"\n';
const cargo = (lines: string): Files => ({ "Cargo.toml": `${lines}\n`, "Cargo.lock": crates });

const branches = {
  packages: [
    { name: "a/b", version: "1.0.0" },
    { name: "b/good", version: "dev-main", source: { type: "git", url: "https://b.example/b" } },
  ],
};
const composer = (require: object): Files => ({
  "composer.json": { json: { require } },
  "composer.lock": { json: branches },
});

const poetry = (source: string): Files => ({
  "pyproject.toml": `[tool.poetry.dependencies]\ngood = ${source}\n`,
  "poetry.lock":
    '[[package]]\nname = "good"\nversion = "1.0"\n[package.source]\ntype = "git"\nurl = "https://b.example/good.git"\n[[package]]\nname = "x"\nversion = "1.0"\n[metadata]\n',
});
const pipfile = (source: string): Files => ({
  Pipfile: `[packages]\ngood = ${source}\n`,
  "Pipfile.lock": {
    json: {
      default: {
        good: { git: "https://b.example/good.git", ref: "a" },
        x: { version: "==1.0" },
      },
    },
  },
});
const pdm = (source: string): Files => ({
  "pyproject.toml": `[project]\ndependencies = ["A.good"]\n[tool.uv.sources]\n"a.good" = ${source}\n`,
  "pdm.lock":
    '[[package]]\nname = "a-good"\nversion = "1.0"\ngit = "https://b.example/good.git"\n[[package]]\nname = "x"\nversion = "1.0"\n[metadata]\n',
});

const mine = 'registry = "mine"';
const crateOf = (name: string, source: string) =>
  `[[package]]\nname = "${name}"\nversion = "1.0.0"\nsource = "registry+${source}"\n`;
const registryLock = `version = 4\n${crateOf("known", "https://a.example/index")}${crateOf("other", "https://b.example/index")}${crateOf("public", "")}`;
const registries = (lines: string): Files => ({
  "Cargo.toml": `[dependencies]\n${lines}\n`,
  "Cargo.lock": registryLock,
});

describe("an audit of a Cargo.toml next to a lock file with packages of other registries", () => {
  it.each<[string, Files, number]>([
    ["a crate that the lock file lacks", registries(`x = { version = "1", ${mine} }`), 2],
    ["a crate of the default registry", registries(`public = { version = "1", ${mine} }`), 2],
    ["a version that the lock file lacks", registries(`known = { version = "2", ${mine} }`), 2],
    [
      "a further crate",
      registries(`known = { version = "1", ${mine} }\npublic = { version = "1", ${mine} }`),
      2,
    ],
    [
      "crates of two hosts",
      registries(`known = { version = "1", ${mine} }\nother = { version = "1", ${mine} }`),
      2,
    ],
    [
      "another address",
      registries('known = { version = "1", registry-index = "https://c.example/index" }'),
      2,
    ],
  ])("reports a registry that has a name for %s", (_what, files, line) => {
    expect(unreadIn("Cargo.toml", files)).toEqual([`Cargo.toml:${line}: registry`]);
  });

  it("reports both of two names for one host", () => {
    const lock = `${registryLock}${crateOf("further", "https://a.example/index")}`;
    const text = `[dependencies]\nknown = { version = "1", ${mine} }\nfurther = { version = "1", registry = "new" }\n`;
    expect(unreadIn("Cargo.toml", { "Cargo.toml": text, "Cargo.lock": lock })).toEqual([
      "Cargo.toml:2: registry",
      "Cargo.toml:3: registry",
    ]);
  });

  it.each<[string, Files]>([
    ["a registry that the lock file has", registries(`known = { version = "1", ${mine} }`)],
    [
      "an address that the lock file has",
      registries('known = { version = "1", registry-index = "sparse+https://a.example/" }'),
    ],
    ["the default registry", registries('public = { version = "1", registry = "crates-io" }')],
  ])("does not report %s", (_what, files) => {
    expect(unreadIn("Cargo.toml", files)).toEqual([]);
  });
});

describe("an audit of a manifest next to a lock file that has another part of its kind", () => {
  it.each<[string, string, Files, string]>([
    ["a gem of a repository", "Gemfile", gemfile('gem "x", git: "https://c.example/x"'), "git"],
    ["another repository", "Gemfile", gemfile('gem "good", git: "https://c.example/good"'), "git"],
    ["another owner", "Gemfile", gemfile('gem "good", github: "c/good"'), "git"],
    ["another gem", "Gemfile", gemfile('gem "x", github: "b/good"'), "git"],
    ["a computed repository", "Gemfile", gemfile('gem "good", git: ENV["X"]'), "git"],
    ["a block", "Gemfile", gemfile('git "https://c.example/x" do\nend'), "git"],
    ["a folder", "Gemfile", gemfile('gem "x", path: "../x"'), "local"],
    ["a call within code", "Gemfile", gemfile('x { gem "x" }'), "expression"],
    ["a long line", "Gemfile", gemfile(`gem "x" # ${"x".repeat(70_000)}`), "line_too_long"],
    ["a crate", "Cargo.toml", cargo('[dependencies]\nx = { git = "https://c.example/x" }'), "git"],
    [
      "another repository",
      "Cargo.toml",
      cargo('[dependencies]\ngood = { git = "https://c.example/good" }'),
      "git",
    ],
    [
      "a patch",
      "Cargo.toml",
      cargo('[patch.crates-io]\nx = { git = "https://c.example/x" }'),
      "git",
    ],
    ["a folder", "Cargo.toml", cargo('[dependencies]\nx = { path = "x" }'), "local"],
    ["a branch", "composer.json", composer({ "c/x": "dev-main" }), "git"],
    [
      "another repository",
      "pyproject.toml",
      poetry('{ git = "https://c.example/good.git" }'),
      "git",
    ],
    ["another repository", "Pipfile", pipfile('{ git = "https://c.example/good.git" }'), "git"],
    ["another repository", "pyproject.toml", pdm('{ git = "https://c.example/good.git" }'), "git"],
    [
      "an expression",
      "build.gradle",
      {
        "build.gradle": "dependencies {\n  implementation(x)\n}\n",
        "gradle.lockfile": "a:b:1.0=c\n",
      },
      "expression",
    ],
    [
      "an expression",
      "a.csproj",
      {
        "a.csproj":
          '<Project><ItemGroup><PackageReference Include="$(X)" Version="1"/></ItemGroup></Project>',
        "packages.lock.json": {
          json: {
            version: 1,
            dependencies: { net8: { a: { type: "Direct", resolved: "1.0.0" } } },
          },
        },
      },
      "expression",
    ],
  ])("reports %s of a %s", (_what, manifest, files, reason) => {
    expect(unreadIn(manifest, files)).toEqual([
      expect.stringMatching(new RegExp(`^${manifest}:(?:\\d+|-): ${reason}$`)),
    ]);
  });
});

describe("an audit of a manifest next to its lock file", () => {
  it.each<[string, string, Files]>([
    [
      "a repository",
      "Gemfile",
      gemfile('gem "good", git: "https://user:pw@github.com/b/good.git", tag: "1"'),
    ],
    ["a repository by its owner", "Gemfile", gemfile('gem "good", :github => "b/good"')],
    ["a block", "Gemfile", gemfile('git "https://github.com/b/good.git" do\n  gem "good"\nend')],
    ["a folder", "Gemfile", gemfile('gem "here", path: "./here"')],
    [
      "a repository",
      "Cargo.toml",
      cargo('[dependencies]\ng = { package = "good", git = "https://github.com/b/good.git" }'),
    ],
    ["a folder", "Cargo.toml", cargo('[dependencies]\nhe_re = { path = "here" }')],
    ["a branch", "composer.json", composer({ "B/good": "dev-main" })],
    ["a repository", "pyproject.toml", poetry('{ git = "https://b.example/good" }')],
    ["a repository", "Pipfile", pipfile('{ git = "https://b.example/good.git" }')],
    ["a repository", "pyproject.toml", pdm('{ git = "https://b.example/good.git" }')],
    [
      "a replacement",
      "go.mod",
      {
        "go.mod": "module m\nrequire a.example/b v1.0.0\nreplace a.example/b => ../b\n",
        "go.sum": "a.example/b v1.0.0 h1:x=\n",
      },
    ],
  ])("reports %s of a %s once", (_what, manifest, files) => {
    const rows = audit(files).unread;
    expect(rows.filter((row) => row.startsWith(`${manifest}:`)).length).toBeLessThanOrEqual(
      manifest === "go.mod" ? 1 : 0,
    );
  });
});

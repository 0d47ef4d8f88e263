import { describe, expect, it } from "vitest";
import { describeFile } from "./describe-file.ts";

const address = "https://me:s3cret@git.example/fork.git";
const shown = "https://git.example/fork.git";

const toml = '[[package]]\nname = "fork"\nversion = "0.1.0"\n';
const json = (value: unknown) => JSON.stringify(value);

describe("a package of a repository", () => {
  it.each<[format: string, text: string]>([
    ["poetry.lock", `${toml}[package.source]\ntype = "git"\nurl = "${address}"\n[metadata]\n`],
    ["Cargo.lock", `version = 4\n${toml}source = "git+${address}?branch=a#0b"\n`],
    ["uv.lock", `version = 1\n${toml}source = { git = "${address}?rev=a#0b" }\n`],
    ["Pipfile.lock", json({ _meta: {}, default: { fork: { git: address } } })],
    ["Pipfile", `[packages]\nfork = { git = "${address}" }\n`],
    ["Cargo.toml", `[dependencies]\nfork = { git = "${address}" }\n`],
    ["Cargo.toml", `[patch.main]\nfork = { git = "${address}" }\n`],
    [
      "pyproject.toml",
      `[project]\ndependencies = ["fork"]\n[tool.uv.sources]\nfork = { git = "${address}" }\n`,
    ],
    [
      "package-lock.json",
      json({
        lockfileVersion: 3,
        packages: { "node_modules/fork": { version: "0.1.0", resolved: `git+${address}#0b` } },
      }),
    ],
    ["yarn.lock", `fork@1:\n  version "0.1.0"\n  resolved "git+${address}#0b"\n`],
    [
      "yarn.lock",
      `__metadata:\n  version: 8\n\n"fork@x":\n  version: 0.1.0\n  resolution: "fork@${address}#commit=0b"\n`,
    ],
    [
      "pnpm-lock.yaml",
      `lockfileVersion: 9\npackages:\n  fork@0.1.0:\n    resolution: {type: git, repo: "${address}", commit: 0b}\n`,
    ],
    ["Gemfile.lock", `GIT\n  remote: ${address}\n  specs:\n    fork (0.1.0)\n`],
    [
      "composer.lock",
      json({
        packages: [{ name: "a/fork", version: "dev-main", source: { type: "git", url: address } }],
      }),
    ],
  ])("has the address of the repository in its text without a user: %s", (format, text) => {
    const { unparsed } = describeFile(format, text);
    expect(unparsed).toEqual([expect.stringMatching(/^\d+: .*: git(?:: a branch)?$/)]);
    expect(unparsed[0]?.replace("git+", "")).toMatch(/[ "]https:\/\/git\.example\/fork\.git/);
    expect(unparsed[0]).not.toMatch(/s3cret|0b|branch=/);
  });

  it("has an address of a secure shell without its user", () => {
    const text = `${toml}[package.source]\ntype = "git"\nurl = "git@git.example:a/fork.git"\n[metadata]\n`;
    expect(describeFile("poetry.lock", text).unparsed).toEqual([
      "1: fork@0.1.0 git.example:a/fork.git: git",
    ]);
  });
});

describe("a need of a poetry.lock that has no entry", () => {
  const lock = (need: string) =>
    `[[package]]\nname = "app"\nversion = "1.0"\n[package.dependencies]\n${need}\n[metadata]\n`;

  it.each<[string, readonly string[]]>([
    [`evil = { version = "^1.0", markers = "python_version < '3.8'" }`, ["evil (>=1.0,<2)"]],
    [
      'evil = [{ version = "^1.0", markers = "a" }, { version = "^2.0", markers = "b" }]',
      ["evil (>=1.0,<2)", "evil (>=2.0,<3)"],
    ],
    ['evil = { version = "^1.0", optional = true }', []],
    ['evil = [{ version = "^1.0", optional = true }, "^3.0"]', ["evil (>=3.0,<4)"]],
  ])("is asked about unless it is optional: %s", (need, expected) => {
    const { packages, unparsed } = describeFile("poetry.lock", lock(need));
    expect(packages.slice(1).map((row) => row.split(" ").slice(1, 3).join(" "))).toEqual(expected);
    expect(unparsed).toEqual([]);
  });

  it("is reported if it is in a repository", () => {
    const need = `evil = [{ version = "1", optional = true }, { git = "${address}", markers = "a" }]`;
    expect(describeFile("poetry.lock", lock(need)).unparsed).toEqual([`1: evil ${shown}: git`]);
  });
});

describe("a dependency of Poetry with a table for each platform", () => {
  it("is all of them", () => {
    const text = `[tool.poetry.dependencies]\na = [\n { version = "1.0", python = "<3" },\n { version = "2.0", python = ">=3" },\n { git = "${shown}", platform = "b" },\n]\n`;
    const { packages, unparsed } = describeFile("pyproject.toml", text);
    expect(packages).toEqual(["2: a 1.0 direct production", "2: a 2.0 direct production"]);
    expect(unparsed).toEqual([expect.stringMatching(/^2: a = .*git\.example.*: git$/)]);
  });
});

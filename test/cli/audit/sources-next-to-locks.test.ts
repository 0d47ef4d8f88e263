import { expect, it } from "vitest";
import { audit, type Content } from "./audit-project.ts";

const project = (body: string) => `<Project>${body}</Project>`;
const nugetLock = { json: { version: 1, dependencies: { "net8.0": {} } } };
const gemLock = "GEM\n  specs:\n    left (1.0.0)\n\nDEPENDENCIES\n  left\n";

it.each<[string, Readonly<Record<string, Content>>, string]>([
  [
    "a repository of build.gradle",
    {
      "build.gradle": "repositories {\n  maven { url 'https://evil.example' }\n}\n",
      "gradle.lockfile": "g:left:1.0.0=runtimeClasspath\n",
    },
    "build.gradle:2: registry",
  ],
  [
    "a file of build.gradle",
    {
      "build.gradle": "dependencies {\n  implementation files('libs/x.jar')\n}\n",
      "gradle.lockfile": "g:left:1.0.0=runtimeClasspath\n",
    },
    "build.gradle:2: local",
  ],
  [
    "the sources of a csproj",
    {
      "a.csproj": project(
        "<PropertyGroup><RestoreSources>https://evil.example/v3</RestoreSources></PropertyGroup>",
      ),
      "packages.lock.json": nugetLock,
    },
    "a.csproj:1: registry",
  ],
  [
    "the source of a Gemfile",
    { Gemfile: "source 'https://evil.example'\ngem 'left'\n", "Gemfile.lock": gemLock },
    "Gemfile:2: registry",
  ],
])("the audit reports %s next to a lock file", (_what, files, unread) => {
  expect(audit(files).unread).toEqual(expect.arrayContaining([expect.stringContaining(unread)]));
});

const crate = (name: string, version: string) =>
  `[[package]]\nname = "${name}"\nversion = "${version}"\nsource = "registry+"\n`;
const composerLock = (packages: unknown): Content => ({ json: { packages } });
const left = { name: "a/left", version: "v1.0.0" };

it.each<[string, Readonly<Record<string, Content>>, readonly string[]]>([
  [
    "an exact version of a Cargo.toml",
    {
      "Cargo.toml": '[dependencies]\nleft = "=2.0.0"\n',
      "Cargo.lock": `version = 4\n${crate("left", "1.0.0")}`,
    },
    ["left 1.0.0", "left =2.0.0"],
  ],
  [
    "a range of a Cargo.toml",
    {
      "Cargo.toml": '[dependencies]\nleft = ">=2, <3"\n',
      "Cargo.lock": `version = 4\n${crate("left", "1.0.0")}`,
    },
    ["left 1.0.0", "left >=2, <3"],
  ],
  [
    "a higher version of a build.gradle",
    {
      "build.gradle": "implementation 'g:left:2.0'\n",
      "gradle.lockfile": "g:left:1.0=runtimeClasspath\n",
    },
    ["g:left 1.0", "g:left 2.0"],
  ],
  [
    "a strict version of a build.gradle",
    {
      "build.gradle": "implementation 'g:left:1.0!!'\n",
      "gradle.lockfile": "g:left:2.0=runtimeClasspath\n",
    },
    ["g:left 1.0!!", "g:left 2.0"],
  ],
  [
    "an exact version of a Gemfile",
    { Gemfile: "gem 'left', '2.0.0'\n", "Gemfile.lock": gemLock },
    ["left 1.0.0", "left 2.0.0"],
  ],
  [
    "an exact version of a composer.json",
    {
      "composer.json": { json: { require: { "a/left": "2.0.0" } } },
      "composer.lock": composerLock([left]),
    },
    ["a/left 2.0.0", "a/left v1.0.0"],
  ],
])("the audit asks about %s that its lock file lacks", (_what, files, asked) => {
  expect(audit(files).asked).toEqual(asked);
});

it.each<[string, Readonly<Record<string, Content>>, readonly string[]]>([
  [
    "a crate",
    {
      "Cargo.toml": '[dependencies]\nleft = "1"\nright = "=1.2.0"\n',
      "Cargo.lock": `version = 4\n${crate("left", "1.0.0")}${crate("right", "1.2.0+b")}`,
    },
    ["left 1.0.0", "right 1.2.0+b"],
  ],
  [
    "a lower version of a build.gradle",
    {
      "build.gradle": "implementation 'g:left:1.9'\n",
      "gradle.lockfile": "g:left:1.10=runtimeClasspath\n",
    },
    ["g:left 1.10"],
  ],
  [
    "a version of Composer with fewer numbers",
    {
      "composer.json": { json: { require: { "a/left": "1.0" } } },
      "composer.lock": composerLock([left]),
    },
    ["a/left v1.0.0"],
  ],
])("the audit takes %s from the lock file alone", (_what, files, asked) => {
  expect(audit(files)).toEqual({ asked, unread: [] });
});

it("the audit reads a composer.lock whose packages have names", () => {
  const packages = { one: left, other: { name: "a/right", version: "2.0.0" } };
  expect(audit({ "composer.lock": composerLock(packages) }).asked).toEqual([
    "a/left v1.0.0",
    "a/right 2.0.0",
  ]);
});

it("the audit reads both packages of one name of a composer.lock", () => {
  const json = { packages: [left], "packages-dev": [{ ...left, version: "2.0.0" }] };
  expect(audit({ "composer.lock": { json } }).asked).toEqual(["a/left 2.0.0", "a/left v1.0.0"]);
});

it.each([["text"], [[1]], [{ a: "text" }]])(
  "the audit counts a composer.lock whose packages are %j",
  (packages) => {
    expect(audit({ "composer.lock": composerLock(packages) }).unread).toEqual([
      "composer.lock:1: invalid_lock",
    ]);
  },
);

it("the audit reports each repository of a composer.json next to a lock file", () => {
  const json = {
    require: { "a/left": "^1" },
    repositories: [
      { type: "vcs", url: "https://evil.example/a.git" },
      { type: "path", url: "../a" },
      { type: "composer", url: "https://index.example" },
      { type: "package", package: left },
      { packagist: false },
    ],
  };
  const branch = {
    name: "a/fork",
    version: "dev-main",
    source: { type: "git", url: "https://b.example/b.git" },
  };
  const files = {
    "composer.json": { json },
    "composer.lock": composerLock([
      left,
      branch,
      { ...left, name: "a/own", dist: { type: "path" } },
    ]),
  };
  expect(audit(files).unread.filter((row) => row.startsWith("composer.json"))).toEqual([
    "composer.json:10: local",
    "composer.json:14: registry",
    "composer.json:18: url",
    "composer.json:6: git",
  ]);
});

it.each(["a.csproj", "Directory.Build.props"])(
  "the audit reports the import of a %s next to a lock file",
  (name) => {
    const files = {
      [name]: project('<Import Project="more.props"/>'),
      "packages.lock.json": nugetLock,
    };
    expect(audit(files).unread).toEqual([`${name}:1: include`]);
  },
);

it.each(["../../other", "/srv/other"])(
  "the audit reports the crate at %s, above its folder, next to a lock file",
  (path) => {
    const files = {
      "a/Cargo.toml": `[package]\nname = "a"\n[dependencies]\nother = { path = "${path}" }\n`,
      "a/Cargo.lock":
        'version = 4\n[[package]]\nname = "a"\nversion = "1.0.0"\ndependencies = ["other"]\n[[package]]\nname = "other"\nversion = "1.0.0"\n',
    };
    expect(audit(files).unread).toEqual(["a/Cargo.toml:-: outside"]);
  },
);

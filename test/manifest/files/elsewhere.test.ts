import { describe, expect, it } from "vitest";
import { buildPublicRegistryFileUrl } from "../../../src/platform/registry-urls.ts";
import { describeFile } from "./describe-file.ts";

const npm = buildPublicRegistryFileUrl("npm").origin;
const pypi = buildPublicRegistryFileUrl("pypi").origin;
const cargo = buildPublicRegistryFileUrl("cargo").host;
const gems = buildPublicRegistryFileUrl("gem").origin;
const evil = "https://evil.example";

type Case = readonly [
  what: string,
  format: string,
  text: string,
  asked: readonly string[],
  reported: readonly string[],
];

function packageLock(resolved: string, more: object = {}): string {
  const entry = { version: "1.3.0", resolved, ...more };
  return JSON.stringify({ lockfileVersion: 3, packages: { "node_modules/left-pad": entry } });
}

const nestedLock = (resolved: string) =>
  JSON.stringify({ dependencies: { "left-pad": { version: "1.3.0", resolved } } });

const classic = (rest: string) => `left-pad@^1.0.0:\n  version "1.3.0"\n  ${rest}\n`;

const berry = (resolution: string) =>
  `__metadata:\n  version: 8\n"left-pad@npm:^1.0.0":\n  version: 1.3.0\n  resolution: "${resolution}"\n`;

const pnpm = (resolution: string) =>
  `lockfileVersion: '9.0'\npackages:\n  left-pad@1.3.0:\n    resolution: ${resolution}\nsnapshots:\n  left-pad@1.3.0: {}\n`;

const bun = (address: string) =>
  `{"workspaces":{"":{}},"packages":{"left-pad":["left-pad@1.3.0","${address}",{},"sha512-a"]}}`;

const crate = (source: string) =>
  `version = 4\n[[package]]\nname = "left-pad"\nversion = "1.3.0"\nsource = "${source}"\n`;

const gemLock = (remote: string) =>
  `GEM\n  remote: ${remote}\n  specs:\n    left-pad (1.3.0)\n\nDEPENDENCIES\n  left-pad\n`;

const uv = (registry: string, url: string) =>
  `version = 1\n[[package]]\nname = "left-pad"\nversion = "1.3.0"\nsource = { registry = "${registry}" }\nwheels = [{ url = "${url}" }]\n`;

const poetry = (source: string) =>
  `[[package]]\nname = "left-pad"\nversion = "1.3.0"\n${source}\n[metadata]\n`;

const pipfile = (url: string) =>
  JSON.stringify({
    _meta: { sources: [{ name: "main", url }] },
    default: { "left-pad": { version: "==1.3.0" } },
  });

const composer = (dist: string, source: string) =>
  JSON.stringify({
    packages: [
      {
        name: "acme/left-pad",
        version: "1.3.0",
        dist: { type: "zip", url: dist },
        source: { type: "git", url: source },
      },
    ],
  });

const asked = ["left-pad 1.3.0"];
const host = ["evil.example: registry"];
const archive = `${npm}/left-pad/-/left-pad-1.3.0.tgz`;
const otherArchive = `${npm}/evil/-/evil-1.3.0.tgz`;
const wheel = "left_pad-1.3.0-py3-none-any.whl";

const cases: readonly Case[] = [
  ["the public registry", "package-lock.json", packageLock(archive), asked, []],
  [
    "another host",
    "package-lock.json",
    packageLock(`${evil}/left-pad/-/left-pad-1.3.0.tgz`),
    asked,
    host,
  ],
  [
    "another package",
    "package-lock.json",
    packageLock(otherArchive),
    [],
    [`left-pad@1.3.0 ${otherArchive}: url`],
  ],
  [
    "another version",
    "package-lock.json",
    packageLock(`${npm}/left-pad/-/left-pad-6.6.6.tgz`),
    [],
    [`left-pad@1.3.0 ${npm}/left-pad/-/left-pad-6.6.6.tgz: url`],
  ],
  [
    "any address",
    "package-lock.json",
    packageLock(`${evil}/x.tgz`),
    [],
    [`left-pad@1.3.0 ${evil}/x.tgz: url`],
  ],
  [
    "an archive of a forge",
    "package-lock.json",
    packageLock("https://codeload.github.com/a/left-pad/tar.gz/1.3.0"),
    [],
    ["left-pad@1.3.0 github.com/a/left-pad: git"],
  ],
  [
    "an address for a version",
    "npm-shrinkwrap.json",
    packageLock("", { version: `${evil}/x.tgz` }),
    [],
    [`left-pad@${evil}/x.tgz: url`],
  ],
  [
    "another host in version 1",
    "package-lock.json",
    nestedLock(`${evil}/left-pad/-/left-pad-1.3.0.tgz`),
    asked,
    host,
  ],
  [
    "any address in version 1",
    "package-lock.json",
    nestedLock(`${evil}/x.tgz`),
    [],
    [`left-pad@1.3.0 ${evil}/x.tgz: url`],
  ],
  ["the public registry", "yarn.lock", classic(`resolved "${archive}#ab"`), asked, []],
  [
    "another host",
    "yarn.lock",
    classic(`resolved "${evil}/left-pad/-/left-pad-1.3.0.tgz#ab"`),
    asked,
    host,
  ],
  [
    "an archive elsewhere",
    "yarn.lock",
    berry(`left-pad@npm:1.3.0::__archiveUrl=${encodeURIComponent(`${evil}/x.tgz`)}`),
    [],
    [`left-pad@1.3.0 ${evil}/x.tgz: url`],
  ],
  ["another version", "yarn.lock", berry("left-pad@npm:6.6.6"), ["left-pad 6.6.6"], []],
  [
    "an address",
    "yarn.lock",
    berry(`left-pad@${evil}/x.tgz`),
    [],
    [`left-pad@1.3.0 ${evil}/x.tgz: url`],
  ],
  [
    "a patch",
    "yarn.lock",
    berry("left-pad@patch:left-pad@npm%3A1.3.0#./a.patch"),
    asked,
    ["left-pad@1.3.0: local"],
  ],
  [
    "an archive elsewhere",
    "pnpm-lock.yaml",
    pnpm(`{integrity: a, tarball: ${evil}/x.tgz}`),
    [],
    [`left-pad@1.3.0 ${evil}/x.tgz: url`],
  ],
  [
    "another host",
    "pnpm-lock.yaml",
    pnpm(`{tarball: ${evil}/left-pad/-/left-pad-1.3.0.tgz}`),
    asked,
    host,
  ],
  ["the public registry", "pnpm-lock.yaml", pnpm("{integrity: a}"), asked, []],
  [
    "an archive elsewhere",
    "bun.lock",
    bun(`${evil}/x.tgz`),
    [],
    [`left-pad@1.3.0 ${evil}/x.tgz: url`],
  ],
  ["the public registry", "bun.lock", bun(""), asked, []],
  [
    "the default index",
    "Cargo.lock",
    crate(`registry+https://github.com/rust-lang/${cargo}-index`),
    asked,
    [],
  ],
  ["the sparse index", "Cargo.lock", crate(`sparse+https://index.${cargo}/`), asked, []],
  ["another index", "Cargo.lock", crate(`registry+${evil}/index`), asked, host],
  [
    "a patch by a folder",
    "Cargo.toml",
    '[dependencies]\na = "1"\n[ patch.x ]\nb = { path = "b" }\n',
    ["a (1)"],
    ["b: local"],
  ],
  [
    "a registry by name",
    "Cargo.toml",
    '[dependencies]\na = { version = "1", registry = "mine" }\n',
    ["a (1)"],
    ["mine: registry"],
  ],
  ["the public registry", "Gemfile.lock", gemLock(`${gems}/`), asked, []],
  ["another source", "Gemfile.lock", gemLock(`${evil}/`), asked, host],
  ["the public index", "poetry.lock", poetry(""), asked, []],
  [
    "another index",
    "poetry.lock",
    poetry(`[package.source]\ntype = "legacy"\nurl = "${evil}/simple"\n`),
    asked,
    host,
  ],
  ["another index", "uv.lock", uv(`${evil}/simple`, `${evil}/f/${wheel}`), asked, host],
  ["a file elsewhere", "uv.lock", uv(`${pypi}/simple`, `${evil}/f/${wheel}`), asked, host],
  [
    "a file of another package",
    "uv.lock",
    uv(`${pypi}/simple`, `${pypi}/f/evil-1.3.0-py3-none-any.whl`),
    [],
    [`left-pad@1.3.0 ${pypi}/f/evil-1.3.0-py3-none-any.whl: url`],
  ],
  ["the public index", "Pipfile.lock", pipfile(`${pypi}/simple`), asked, []],
  ["another index", "Pipfile.lock", pipfile(`${evil}/simple`), asked, host],
  [
    "a forge",
    "composer.lock",
    composer(
      "https://api.github.com/repos/acme/left-pad/zipball/ab",
      "https://github.com/acme/left-pad.git",
    ),
    ["acme/left-pad 1.3.0"],
    [],
  ],
  [
    "another repository",
    "composer.lock",
    composer(
      "https://api.github.com/repos/evil/left-pad/zipball/ab",
      "https://github.com/acme/left-pad.git",
    ),
    [],
    ["acme/left-pad@1.3.0 github.com/evil/left-pad github.com/acme/left-pad: url"],
  ],
  [
    "another host",
    "composer.lock",
    composer(`${evil}/a.zip`, "https://github.com/acme/left-pad.git"),
    ["acme/left-pad 1.3.0"],
    host,
  ],
  [
    "a repository",
    "composer.json",
    JSON.stringify({ require: { "a/b": "^1" }, repositories: [{ type: "vcs", url: evil }] }),
    ["a/b (^1)"],
    [`repositories ${evil}: git`],
  ],
  [
    "calls without a space",
    "Gemfile",
    'gem"a"\ngem\t"b"\nx = 1; gem "c"\ngem("d")\n',
    ["a ()", "b ()", "c ()", "d ()"],
    [],
  ],
  [
    "options on the next line",
    "Gemfile",
    `gem "a",\n  git: "${evil}"\n`,
    [],
    [`gem "a", git: "${evil}": git`],
  ],
  ["a source of a gem", "Gemfile", `gem "a", source: "${evil}"\n`, ["a ()"], host],
  [
    "a call within other code",
    "Gemfile",
    'begin gem "a" end\n',
    [],
    ['begin gem "a" end: expression'],
  ],
  ["a list", "Gemfile", "gem %w[a b]\n", [], ["gem %w[a b]: expression"]],
  ["a Gemfile of a Gemfile", "Gemfile", 'eval_gemfile "x"\n', [], ['eval_gemfile "x": include']],
  [
    "a configuration in quotes",
    "build.gradle",
    'dependencies {\n"implementation"("g.h:a:1.0")\nadd("implementation", "g.h:b:1.0")\n}\n',
    ["g.h:a 1.0", "g.h:b 1.0"],
    [],
  ],
  [
    "an unknown configuration",
    "build.gradle",
    'dependencies {\nshade("g.h:a:1.0")\n}\n',
    [],
    ['shade("g.h:a:1.0"): expression'],
  ],
  ["a repository", "build.gradle", `repositories { maven {\n url "${evil}/m2"\n} }\n`, [], host],
  [
    "a repository",
    "pom.xml",
    `<project><repositories><repository><url>${evil}/m2</url></repository></repositories><dependencies><dependency><groupId>g</groupId><artifactId>a</artifactId><version>1</version></dependency></dependencies></project>`,
    ["g:a 1"],
    host,
  ],
  [
    "a replacement of what others require",
    "go.mod",
    "module m\nreplace a.example/x => evil.example/x v1.0.0\n",
    ["evil.example/x v1.0.0"],
    [],
  ],
];

describe("a package that may come from elsewhere", () => {
  it.each(cases)(
    "is asked about or reported for %s in a %s",
    (_, format, text, packages, reported) => {
      const file = describeFile(format, text);
      expect(file.packages.map((row) => row.split(" ").slice(1, 3).join(" "))).toEqual(packages);
      const rows = file.unparsed.map((row) => row.replace(/^[-\d]+: /, ""));
      expect(rows.map((row, at) => row.slice(0, (reported[at] ?? row).length))).toEqual(reported);
    },
  );

  it("is asked about or reported by both lists of a package-lock.json of version 2", () => {
    const git = "git+ssh://git@git.example/a/b.git#0a";
    const packages = {
      "": { dependencies: { "left-pad": "1", there: git, here: "file:here" } },
      "node_modules/left-pad": { version: "1.3.0", resolved: archive },
      "node_modules/there": { version: "1.0.0", resolved: git },
      "node_modules/here": { resolved: "here", link: true },
      here: {},
    };
    const same = {
      "left-pad": { version: "1.3.0", resolved: archive },
      there: { version: git },
      here: { version: "file:here" },
    };
    const read = (dependencies: object) =>
      describeFile(
        "package-lock.json",
        JSON.stringify({ lockfileVersion: 2, packages, dependencies }, undefined, 1),
      );
    const one = read({});
    expect(one.unparsed).toEqual([
      expect.stringContaining("there@1.0.0 git+ssh://git.example/a/b.git: git"),
    ]);
    expect(read(same)).toEqual(one);
    const other = read({
      ...same,
      "left-pad": { version: "1.3.0", resolved: `${evil}/x.tgz` },
      there: { version: "git+https://git.example/evil.git#0b" },
      more: { version: "6.6.6", resolved: `${evil}/more/-/more-6.6.6.tgz` },
    });
    expect(other.packages).toEqual([...one.packages, expect.stringMatching(/^\d+: more 6\.6\.6 /)]);
    const rows = other.unparsed.map((row) => row.replace(/^\d+: /, ""));
    expect(rows).toEqual([
      expect.stringContaining("there@1.0.0 git+ssh://git.example/a/b.git: git"),
      `left-pad@1.3.0 ${evil}/x.tgz: url`,
      "there@git+https://git.example/evil.git#0b: git",
      expect.stringMatching(/^evil\.example: registry/),
    ]);
  });

  it("reports a line of a yarn.lock whose key is in quotes", () => {
    const { unparsed } = describeFile("yarn.lock", classic(`"resolved" "${evil}/x.tgz"`));
    expect(unparsed[0]).toMatch(/^3: .*invalid_lock/);
  });

  it("reports a Cargo.lock whose manifest patches a crate by a folder", () => {
    const manifest = '[patch.any]\nb = { path = "b" }\n';
    const { unparsed } = describeFile("Cargo.lock", "version = 4\n", { "Cargo.toml": manifest });
    expect(unparsed).toEqual(["-: b: local: it is patched"]);
  });
});

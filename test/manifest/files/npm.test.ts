import { describe, expect, it } from "vitest";
import { describeFile } from "./describe-file.ts";

const manifest = JSON.stringify({
  dependencies: { app: "^1.0.0" },
  devDependencies: { tool: "^2.0.0" },
});

describe("a package-lock.json", () => {
  it("[audit.formats] of version 3 has each package by its place, also twice with two versions", () => {
    const lock = {
      lockfileVersion: 3,
      packages: {
        "": { dependencies: { app: "^1.0.0", fork: "acme/fork" }, devDependencies: { tool: "^2" } },
        "node_modules/app": { version: "1.2.0", dependencies: { "@acme/deep": "^3", tool: "^1" } },
        "node_modules/@acme/deep": { version: "3.0.1" },
        "node_modules/app/node_modules/tool": { version: "1.9.0" },
        "node_modules/fork": { version: "0.1.0", resolved: "git+ssh://git@git.example/f.git#ab" },
        "node_modules/other-name": { name: "real", version: "5.0.0" },
        "node_modules/part": { resolved: "packages/part", link: true },
        "node_modules/tool": { version: "2.0.5", dev: true },
        "packages/part": { version: "0.0.0", dependencies: { "other-name": "npm:real@^5" } },
      },
    };
    expect(describeFile("package-lock.json", JSON.stringify(lock, undefined, 1))).toEqual({
      packages: [
        "13: app 1.2.0 direct production",
        "38: tool 2.0.5 direct development",
        "30: real 5.0.0 direct production",
        "20: @acme/deep 3.0.1 transitive production [app@1.2.0 > @acme/deep@3.0.1]",
        "23: tool 1.9.0 transitive production [app@1.2.0 > tool@1.9.0]",
      ],
      unparsed: ["26: fork@0.1.0 git+ssh://git.example/f.git: git"],
    });
  });

  it("of version 1 nests them, and needs the package.json to know what is direct", () => {
    const lock = {
      lockfileVersion: 1,
      dependencies: {
        app: {
          version: "1.2.0",
          requires: { deep: "^3", tool: "^1" },
          dependencies: { tool: { version: "1.9.0" } },
        },
        deep: { version: "3.0.1" },
        fork: { version: "github:acme/fork#ab" },
        tool: { version: "2.0.5", dev: true },
      },
    };
    const text = JSON.stringify(lock, undefined, 1);
    expect(describeFile("package-lock.json", text, { "package.json": manifest })).toEqual({
      packages: [
        "4: app 1.2.0 direct production",
        "22: tool 2.0.5 direct development",
        "16: deep 3.0.1 transitive production [app@1.2.0 > deep@3.0.1]",
        "4: tool 1.9.0 transitive production [app@1.2.0 > tool@1.9.0]",
      ],
      unparsed: ["19: fork@github:acme/fork#ab: git"],
    });
    // Without it, what nobody needs must be asked for by the project.
    expect(describeFile("package-lock.json", text).packages).toEqual([
      "4: app 1.2.0 direct production",
      "22: tool 2.0.5 direct development",
      "16: deep 3.0.1 unknown production [app@1.2.0 > deep@3.0.1]",
      "4: tool 1.9.0 unknown production [app@1.2.0 > tool@1.9.0]",
    ]);
  });
});

describe("a pnpm-lock.yaml", () => {
  it("of version 9 tells packages by their peers, and aliases by what they are", () => {
    const text = `lockfileVersion: '9.0'
importers:
  .:
    dependencies:
      app:
        specifier: ^1.0.0
        version: 1.2.0(peer@4.0.0)
      other:
        specifier: npm:real@^5
        version: real@5.0.0
      part:
        specifier: workspace:*
        version: link:packages/part
    devDependencies:
      forked:
        specifier: acme/forked
        version: https://codeload.github.com/acme/forked/tar.gz/ab
  packages/part: {}
packages:
  app@1.2.0:
    resolution: {integrity: sha512-a}
  forked@https://codeload.github.com/acme/forked/tar.gz/ab:
    resolution: {tarball: https://codeload.github.com/acme/forked/tar.gz/ab}
    version: 0.1.0
  peer@4.0.0:
    resolution: {integrity: sha512-b}
  real@5.0.0:
    resolution: {integrity: sha512-c}
snapshots:
  app@1.2.0(peer@4.0.0):
    dependencies:
      peer: 4.0.0
  forked@https://codeload.github.com/acme/forked/tar.gz/ab: {}
  peer@4.0.0: {}
  real@5.0.0: {}
`;
    expect(describeFile("pnpm-lock.yaml", text)).toEqual({
      packages: [
        "20: app 1.2.0 direct production",
        "27: real 5.0.0 direct production",
        "25: peer 4.0.0 transitive production [app@1.2.0 > peer@4.0.0]",
      ],
      unparsed: ["22: forked@0.1.0 github.com/acme/forked: git"],
    });
  });

  it("of version 6 has a slash before, of version 5 another behind the name", () => {
    const six = `lockfileVersion: '6.0'
dependencies:
  app:
    specifier: ^1.0.0
    version: 1.2.0(peer@4.0.0)
packages:
  /app@1.2.0(peer@4.0.0):
    dependencies:
      '@acme/deep': 3.0.1
  /@acme/deep@3.0.1:
    dev: false
`;
    const five = `lockfileVersion: 5.4
specifiers:
  app: ^1.0.0
dependencies:
  app: 1.2.0_peer@4.0.0
packages:
  /app/1.2.0_peer@4.0.0:
    dependencies:
      '@acme/deep': 3.0.1
  /@acme/deep/3.0.1:
    dev: false
`;
    const packages = [
      "7: app 1.2.0 direct production",
      "10: @acme/deep 3.0.1 transitive production [app@1.2.0 > @acme/deep@3.0.1]",
    ];
    expect(describeFile("pnpm-lock.yaml", six)).toEqual({ packages, unparsed: [] });
    expect(describeFile("pnpm-lock.yaml", five)).toEqual({ packages, unparsed: [] });
  });
});

describe("a yarn.lock", () => {
  it("of Yarn 1 is of lines", () => {
    const text = `# yarn lockfile v1


app@^1.0.0, app@^1.1.0:
  version "1.2.0"
  resolved "https://files.example/app/-/app-1.2.0.tgz#1"
  dependencies:
    "@acme/deep" "^3.0.0"

"@acme/deep@^3.0.0":
  version "3.0.1"

"other@npm:real@^5":
  version "5.0.0"

"fork@git+https://git.example/fork.git":
  version "0.1.0"

tool@^2.0.0:
  version "2.0.5"
`;
    expect(describeFile("yarn.lock", text, { "package.json": manifest })).toEqual({
      packages: [
        "4: app 1.2.0 direct production",
        "19: tool 2.0.5 direct development",
        "10: @acme/deep 3.0.1 transitive production [app@1.2.0 > @acme/deep@3.0.1]",
        "13: real 5.0.0 unknown ",
      ],
      unparsed: [
        "16: fork@0.1.0: git",
        "4: files.example: registry: 1 of its packages may come from this host",
      ],
    });
  });

  it("of later ones has the project in it", () => {
    const text = `__metadata:
  version: 8

"app@npm:^1.0.0":
  version: 1.2.0
  resolution: "app@npm:1.2.0"
  dependencies:
    deep: "npm:^3.0.0"
  languageName: node
  linkType: hard

"deep@npm:^3.0.0, deep@npm:^3.0.1":
  version: 3.0.1
  resolution: "deep@npm:3.0.1"

"patched@patch:patched@npm%3A1.0.0#./a.patch":
  version: 1.0.0
  resolution: "patched@patch:patched@npm%3A1.0.0#./a.patch::version=1.0.0"

"fork@https://git.example/fork.git":
  version: 0.1.0
  resolution: "fork@https://git.example/fork.git#commit=ab"

"root@workspace:.":
  version: 0.0.0-use.local
  resolution: "root@workspace:."
  dependencies:
    app: "npm:^1.0.0"
    fork: "https://git.example/fork.git"
    patched: "patch:patched@npm%3A1.0.0#./a.patch"
`;
    expect(describeFile("yarn.lock", text)).toEqual({
      packages: [
        "4: app 1.2.0 direct production",
        "16: patched 1.0.0 direct production",
        "12: deep 3.0.1 transitive production [app@1.2.0 > deep@3.0.1]",
      ],
      unparsed: [
        "20: fork@0.1.0 https://git.example/fork.git: git",
        "16: patched@1.0.0: local: a patch of this project changes it",
      ],
    });
  });
});

describe("a bun.lock", () => {
  it("has commas behind the last members, and ways in its keys", () => {
    const text = `{
  "lockfileVersion": 1,
  "workspaces": {
    "": {
      "name": "root",
      "dependencies": { "app": "^1.0.0", "part": "workspace:*", "fork": "github:acme/fork", },
      "devDependencies": { "tool": "^2.0.0", },
    },
  },
  "packages": {
    "app": ["app@1.2.0", "", { "dependencies": { "tool": "^1.0.0" } }, "sha512-a"],

    "fork": ["fork@github:acme/fork#ab", {}, "ab"],

    "part": ["part@workspace:packages/part"],

    "tool": ["tool@2.0.5", "", {}, "sha512-b"],

    "app/tool": ["tool@1.9.0", "", {}, "sha512-c"],
  }
}
`;
    expect(describeFile("bun.lock", text)).toEqual({
      packages: [
        "11: app 1.2.0 direct production",
        "17: tool 2.0.5 direct development",
        "19: tool 1.9.0 transitive production [app@1.2.0 > tool@1.9.0]",
      ],
      unparsed: ["13: fork@github:acme/fork#ab: git"],
    });
  });
});

describe("a package.json", () => {
  it("has ranges, which the service chooses from", () => {
    const text = JSON.stringify(
      { dependencies: { app: "^1.0.0", here: "file:../here" }, devDependencies: { tool: "2.0.5" } },
      undefined,
      1,
    );
    expect(describeFile("package.json", text)).toEqual({
      packages: ["3: app (^1.0.0) direct production", "7: tool 2.0.5 direct development"],
      unparsed: ['4: "here": "file:../here": local'],
    });
  });
});

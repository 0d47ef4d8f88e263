import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PublishedVersions } from "../../src/depshealth/facts.ts";
import type { ParsedManifest } from "../../src/manifest/manifest.ts";
import { createVersionRangeSelector } from "../../src/depshealth/version-resolution/version-resolver.ts";
import { parseManifestTextByKind } from "../../src/manifest/read-manifest.ts";

function read(content: unknown): ParsedManifest {
  return parseManifestTextByKind(JSON.stringify(content, undefined, 2), "package.json");
}

function rows({ dependencies }: ParsedManifest): unknown[] {
  return dependencies.map(({ name, requested, version }) => [name, requested, version]);
}

function reasons({ unparsed }: ParsedManifest): unknown[] {
  return unparsed.map(({ reason }) => reason);
}

describe("[tools.audit-manifest] every form of a specifier", () => {
  it.each([
    ["1.2.3", "1.2.3", "1.2.3"],
    ["v1.2.3", "v1.2.3", "1.2.3"],
    ["=1.2.3", "=1.2.3", "1.2.3"],
    [" 1.2.3 ", "1.2.3", "1.2.3"],
    ["1.2.3-rc.1", "1.2.3-rc.1", "1.2.3-rc.1"],
    ["^1.2.3", "^1.2.3", undefined],
    ["~1.2", "~1.2", undefined],
    ["1.x", "1.x", undefined],
    ["*", "*", undefined],
    ["", null, undefined],
    [">=1 <2", ">=1 <2", undefined],
    ["1 || 2", "1 || 2", undefined],
    ["1.0.0 - 2.0.0", "1.0.0 - 2.0.0", undefined],
    ["latest", "latest", undefined],
    ["next", "next", undefined],
    ["npm:^1.0.0", "^1.0.0", undefined],
  ])("reads the specifier %j as one of the registry", (specifier, requested, version) => {
    const manifest = read({ dependencies: { left: specifier } });
    expect(rows(manifest)).toEqual([["left", requested, version]]);
    expect(manifest.unparsed).toEqual([]);
  });

  it.each([
    ["npm:right@^2", "right", "^2", undefined],
    ["npm:right@2.0.0", "right", "2.0.0", "2.0.0"],
    ["npm:@acme/right@2", "@acme/right", "2", undefined],
    ["npm:right", "right", null, undefined],
    ["npm:@acme/right", "@acme/right", null, undefined],
    ["npm:right@next", "right", "next", undefined],
  ])("%s is its target", (specifier, name, requested, version) => {
    expect(rows(read({ dependencies: { left: specifier } }))).toEqual([[name, requested, version]]);
  });

  it.each([
    ["git+https://git.example/a/b.git", "git"],
    ["git+ssh://git@git.example/a/b.git#v1", "git"],
    ["git://git.example/a/b", "git"],
    ["ssh://git@git.example/a.git", "git"],
    ["git@github.com:a/b.git", "git"],
    ["a/b", "git"],
    ["github:a/b#v1", "git"],
    ["gitlab:a/b", "git"],
    ["gitlab:a/b/c", "git"],
    ["https://files.example/left.tgz", "url"],
    ["file:../left", "local"],
    ["../left", "local"],
    ["./left.tgz", "local"],
    ["~/left", "local"],
    ["link:../left", "local"],
    ["portal:../left", "local"],
    ["workspace:*", "local"],
    ["patch:left@1.0.0#x.patch", "local"],
    ["catalog:", "local: a catalog is written in the workspace's file"],
    ["jsr:@acme/left@1", "unsupported_registry: jsr"],
    ["$left", "reference: it refers to another entry"],
    ["not a tag", "invalid_specifier"],
    ["npm:a b@1", "invalid_name"],
  ])("%s is none of the registry", (specifier, reason) => {
    const manifest = read({ dependencies: { left: specifier } });
    expect(manifest.dependencies).toEqual([]);
    expect(manifest.unparsed).toMatchObject([
      { line: 3, text: `"left": ${JSON.stringify(specifier)}`, reason },
    ]);
  });

  it.each([[1], [null], [{}], [["1"]], [true]])("takes %j for no specifier", (specifier) => {
    expect(reasons(read({ dependencies: { left: specifier } }))).toEqual([
      "invalid_specifier: it is no text",
    ]);
  });

  it.each(["../left", "a b", "", "@acme", "node_modules", "%2f", "a/b", "\r\nleft"])(
    "takes %j for no name of a package",
    (name) => {
      const manifest = read({ dependencies: { [name]: "1.0.0" } });
      expect(manifest.dependencies).toEqual([]);
      expect(reasons(manifest)).toEqual(["invalid_name"]);
    },
  );
});

describe("the groups", () => {
  it("are read in one order: plain, optional, peer, development", () => {
    const manifest = read({
      devDependencies: { d: "1" },
      peerDependencies: { c: "1" },
      optionalDependencies: { b: "1" },
      dependencies: { a: "1" },
    });
    expect(manifest.dependencies.map(({ name }) => name)).toEqual(["a", "b", "c", "d"]);
  });

  it("name a package once for each specifier; optional beats plain", () => {
    const manifest = read({
      dependencies: { a: "1", b: "1" },
      optionalDependencies: { a: "2" },
      devDependencies: { b: "3", a: "3" },
    });
    expect(rows(manifest)).toEqual([
      ["b", "1", undefined],
      ["a", "2", undefined],
      ["b", "3", undefined],
      ["a", "3", undefined],
    ]);
  });

  it("are all that is read", () => {
    const manifest = read({
      bundleDependencies: ["x"],
      dependenciesMeta: { y: { injected: true } },
      peerDependenciesMeta: { z: { optional: true } },
      engines: { node: ">=20" },
    });
    expect(manifest).toEqual({ kind: "package.json", dependencies: [], unparsed: [] });
  });

  it("that are no objects are reported with their line", () => {
    const manifest = read({ name: "x", dependencies: ["a"], devDependencies: { b: "1" } });
    expect(rows(manifest)).toEqual([["b", "1", undefined]]);
    expect(manifest.unparsed).toEqual([
      { line: 3, text: '"dependencies": ["a"]', reason: "not_an_object" },
    ]);
  });

  it("hold names that a program might trip over as data", () => {
    const text =
      '{"dependencies": {"__proto__": "1.0.0", "constructor": "1.0.0", "left": "1.0.0"}}';
    const manifest = parseManifestTextByKind(text, "package.json");
    expect(manifest.dependencies.map(({ name }) => name)).toEqual(["constructor", "left"]);
    expect(manifest.unparsed).toMatchObject([
      { line: 1, text: '"__proto__": "1.0.0"', reason: "invalid_name" },
    ]);
  });
});

describe("a text that is no package.json", () => {
  it.each([
    ['{\n  "dependencies": {\n    "a": "1",\n  }\n}', 4, "}"],
    ['{\n  // a comment\n  "dependencies": {}\n}', 2, "// a comment"],
    ['{\n  "dependencies": {', 2, '"dependencies": {'],
  ])("[verdict.unparsed] is unparsed at the line of the mistake: %j", (text, line, shown) => {
    expect(parseManifestTextByKind(text, "auto")).toEqual({
      kind: "package.json",
      dependencies: [],
      unparsed: [
        { line, text: shown, reason: "invalid_json: comments and trailing commas are no JSON" },
      ],
    });
  });

  it.each(["[]", '"left"', "null", "7"])("is unparsed when it is %s", (text) => {
    expect(reasons(parseManifestTextByKind(text, "package.json"))).toEqual(["not_an_object"]);
  });

  it("may begin with a byte order mark, as for npm", () => {
    expect(rows(parseManifestTextByKind('\uFEFF{"dependencies":{"a":"1"}}', "auto"))).toEqual([
      ["a", "1", undefined],
    ]);
  });
});

describe("a range", () => {
  const published: PublishedVersions = {
    versions: [
      { version: "3.0.0-rc.1", stable: false, releasedAt: null },
      { version: "2.2.0", stable: true, releasedAt: null, deprecation: { message: null } },
      { version: "2.1.0", stable: true, releasedAt: null },
      {
        version: "2.0.5",
        stable: true,
        releasedAt: null,
        withdrawal: { kind: "removed", reason: null },
      },
      { version: "2.0.0", stable: true, releasedAt: null },
      { version: "1.0.0", stable: true, releasedAt: null, deprecation: { message: null } },
    ],
    latestVersion: "2.0.0",
    tags: new Map([
      ["latest", "2.0.0"],
      ["next", "3.0.0-rc.1"],
    ]),
  };

  it.each([
    ["the tag latest where it fits", "^2", "2.0.0"],
    ["else the highest that is not deprecated", "^2.1", "2.1.0"],
    ["a deprecated one where nothing else fits", "^1", "1.0.0"],
    ["never a removed one", "2.0.5 - 2.0.9", undefined],
    ["no pre-release", "^3", undefined],
    ["a tag", "next", "3.0.0-rc.1"],
    ["nothing for an unknown tag", "beta", undefined],
    ["anything", "*", "2.0.0"],
    ["nothing asked", "", "2.0.0"],
  ])("means %s", async (_what, specifier, chosen) => {
    const [dependency] = read({ dependencies: { left: specifier } }).dependencies;
    expect(dependency && (await createVersionRangeSelector(dependency)?.(published))).toBe(chosen);
  });
});

describe("whatever a manifest holds", () => {
  it("nothing is lost: every name is a row or is reported", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.jsonValue())), (entries) => {
        const manifest = parseManifestTextByKind(
          JSON.stringify({ dependencies: entries }),
          "package.json",
        );
        const count = manifest.dependencies.length + manifest.unparsed.length;
        expect(count).toBe(Object.keys(entries).length);
        for (const { line } of manifest.unparsed) expect(line).toBe(1);
      }),
    );
  });

  it("nothing throws", () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.constantFrom("auto", "package.json", "requirements.txt"),
        (text, kind) => {
          expect(parseManifestTextByKind(text, kind)).toHaveProperty("unparsed");
        },
      ),
    );
  });

  it("lines are those of the names", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1 }), (names) => {
        const entries = Object.fromEntries(names.map((name) => [`${name}é`, "1"]));
        const manifest = read({ a: [{ b: "}" }], dependencies: entries });
        const sorted = Object.keys(entries);
        expect(manifest.unparsed.map(({ line }) => line)).toEqual(
          sorted.map((_, index) => index + 8),
        );
      }),
    );
  });
});

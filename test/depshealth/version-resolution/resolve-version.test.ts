import { describe, expect, it } from "vitest";
import type {
  PublishedVersions,
  SelectedOrUndecidedVersion,
} from "../../../src/depshealth/facts.ts";
import {
  resolveNpmTag,
  resolveNpmVersion,
} from "../../../src/depshealth/version-resolution/resolve-npm-version.ts";
import { resolvePypiVersion } from "../../../src/depshealth/version-resolution/resolve-pypi-version.ts";

/** Versions 1.0.0 to 1.0.(size-1), the newest first. */
function published(size: number): PublishedVersions {
  const versions = Array.from({ length: size }, (_, index) => ({
    version: `1.0.${size - 1 - index}`,
    stable: true,
    releasedAt: null,
  }));
  return { versions, latestVersion: null, tags: new Map() };
}

function release(version: string, more: object = {}) {
  return { version, stable: !/[a-z]/.test(version), releasedAt: null, ...more };
}

/** The result of a choice, and how many turns the event loop had meanwhile. */
async function countTurns(
  choose: () => SelectedOrUndecidedVersion | Promise<SelectedOrUndecidedVersion>,
) {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const result = await choose();
  isOver = true;
  return { result, turns };
}

function alternatives(count: number): string {
  return Array.from({ length: count }, (_, index) => `>${index + 2}`).join("||");
}

function exclusions(count: number): string {
  return [...Array.from({ length: count }, (_, index) => `!=9.${index}`), ">9"].join(",");
}

describe("resolveNpmVersion", () => {
  const versions = [
    release("3.0.0-rc.1"),
    release("2.1.0", { deprecation: { message: null } }),
    release("2.0.0"),
    release("1.9.0", { withdrawal: { kind: "removed", reason: null } }),
    release("1.8.0"),
    release("nonsense"),
  ];
  const some: PublishedVersions = {
    versions,
    latestVersion: "1.8.0",
    tags: new Map([["latest", "1.8.0"]]),
  };

  it.each([
    [">=1", "1.8.0"],
    [">1.8", "2.0.0"],
    [">2.0", "2.1.0"],
    ["1.9", undefined],
    ["^3.0.0-rc.0", "3.0.0-rc.1"],
    [">=4", undefined],
    ["no range", undefined],
  ])("chooses for `%s` what npm would install", async (range, expected) => {
    expect(await resolveNpmVersion(some, range)).toBe(expected);
  });

  it.each([
    ["*", "2.0.0-rc.1"],
    ["", "2.0.0-rc.1"],
    [" ", "2.0.0-rc.1"],
    ["x", "1.9.0"],
    [">=0.0.0", "1.9.0"],
    ["||", "1.9.0"],
  ])("takes for `%s` what npm takes if `latest` is a pre-release", async (range, expected) => {
    const tags = new Map([["latest", "2.0.0-rc.1"]]);
    const listed = [release("2.0.0-rc.1"), release("1.9.0")];
    expect(await resolveNpmVersion({ ...some, versions: listed, tags }, range)).toBe(expected);
    const marked = listed.map((each) => ({ ...each, deprecation: { message: null } }));
    const allMarked = { ...some, versions: marked, tags };
    expect(await resolveNpmVersion(allMarked, range)).toBe("1.9.0");
  });

  it("gives the event loop its turns within a choice", async () => {
    const { result, turns } = await countTurns(() =>
      resolveNpmVersion(published(3000), alternatives(100)),
    );
    expect(result).toBeUndefined();
    expect(turns).toBeGreaterThan(10);
  });

  it("leaves a range undecided that has too many conditions for the versions", async () => {
    expect(await resolveNpmVersion(published(25_000), alternatives(100))).toEqual({
      undecided:
        "its range has too many conditions for 25000 versions; ask for a version or a shorter range",
    });
  });

  it("decides a long range that one of the newest versions fits", async () => {
    const range = `${alternatives(100)}||1`;
    expect(await resolveNpmVersion(published(25_000), range)).toBe("1.0.24999");
  });
});

describe("resolvePypiVersion", () => {
  const versions = [
    release("3.0rc1"),
    release("2.1", { withdrawal: { kind: "yanked", reason: null } }),
    release("2.0"),
    release("1.0"),
    release("nonsense"),
  ];
  const some: PublishedVersions = { versions, latestVersion: "2.0", tags: new Map() };

  it.each([
    [">=1", "2.0"],
    ["<2", "1.0"],
    [">2.5", "3.0rc1"],
    [">=2.0rc1", "3.0rc1"],
    ["==2.1", undefined],
    ["", "2.0"],
    ["no specifier", undefined],
  ])("chooses for `%s` what pip would install", async (specifier, expected) => {
    expect(await resolvePypiVersion(some, specifier)).toBe(expected);
  });

  it("gives the event loop its turns within a choice", async () => {
    const { result, turns } = await countTurns(() =>
      resolvePypiVersion(published(3000), exclusions(20)),
    );
    expect(result).toBeUndefined();
    expect(turns).toBeGreaterThan(10);
  });

  it.each([exclusions(20), ["~=1.0", "~=1.0", "~=1.0.0", ">9"].join(",")])(
    "leaves a specifier undecided that has too many conditions for the versions: `%s`",
    async (specifier) => {
      expect(await resolvePypiVersion(published(25_000), specifier)).toHaveProperty("undecided");
    },
  );
});

describe("resolveNpmTag", () => {
  const tags = new Map([["latest", "9.9.9"]]);
  const only = { latestVersion: null, tags };

  it("returns no version that the registry does not list, or has removed", () => {
    const gone = release("9.9.9", { withdrawal: { kind: "removed", reason: null } });
    expect(resolveNpmTag({ ...only, versions: [release("1.0.0")] }, "latest")).toBeUndefined();
    expect(resolveNpmTag({ ...only, versions: [gone] }, "latest")).toBeUndefined();
    expect(resolveNpmTag({ ...only, versions: [release("9.9.9")] }, "latest")).toBe("9.9.9");
  });
});

it("resolvePypiVersion takes no pre-release because a clause excludes one", async () => {
  const versions = ["2.0rc2", "1.9", "1.0"].map((version) => release(version));
  const choose = (specifier: string) =>
    resolvePypiVersion({ versions, latestVersion: null, tags: new Map() }, specifier);
  expect(await choose(">=1.0,!=2.0rc1")).toBe("1.9");
  expect(await choose(">=1.0rc1,!=2.0rc1")).toBe("2.0rc2");
});

import { describe, expect, it } from "vitest";
import { createWorkspaceMemberTest } from "../../../src/cli/audit/member-patterns.ts";
import { expectLinear } from "../../support/growth.ts";

function range(size: number): number[] {
  return Array.from({ length: size }, (_, at) => at);
}

describe("createWorkspaceMemberTest", () => {
  it("splits a pattern once for all folders that it is held against", () => {
    expectLinear(300, (size) => {
      const patterns = range(200).map((at) => `${"a/".repeat(size)}x${at}*`);
      const folders = range(size).map((at) => `p/f${at}`);
      return () => {
        const isMember = createWorkspaceMemberTest(patterns);
        expect(folders.some(isMember)).toBe(false);
      };
    });
  });

  it.each([
    ["packages/*", "packages/one", true],
    ["packages/*", "packages/one/two", false],
    ["./packages/*/", "packages/one", true],
    ["packages/a*z", "packages/az", true],
    ["packages/aba*aba", "packages/aba", false],
    ["packages/**", "packages", true],
    ["packages/**", "packages/one/two", true],
    ["packages/**/app-*", "packages/one/two/app-3", true],
    ["packages/**/app-*", "packages", false],
    ["**/app", "app", true],
    ["a**", "ab", false],
    ["{a,b}/*", "a/one", false],
    ["packages/one", "packages/one", true],
  ])("takes pattern %s and folder %s: %s", (pattern, folder, expected) => {
    expect(createWorkspaceMemberTest([pattern])(folder)).toBe(expected);
  });

  it("excludes what a pattern with an exclamation mark matches, except a folder by its name", () => {
    const isMember = createWorkspaceMemberTest(["packages/*", "!packages/old-*", "packages/old-2"]);
    const folders = ["packages/new", "packages/old-1", "packages/old-2"];
    expect(folders.filter(isMember)).toEqual(["packages/new", "packages/old-2"]);
  });
});

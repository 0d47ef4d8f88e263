import { describe, expect, it } from "vitest";
import { sortUniqueVersions } from "../../../src/depshealth/ecosystem/sort-versions.ts";
import { versionOrderByEcosystem } from "../../../src/depshealth/ecosystem/version-order.ts";

function versionsOf(count: number, words: string) {
  return Array.from({ length: count }, (_, index) => ({
    version: `1.0.${index}`,
    stable: true,
    releasedAt: null,
    ...(index % 2 === 0
      ? { deprecation: { message: words } }
      : { withdrawal: { kind: "yanked" as const, reason: words } }),
  }));
}

describe("sortVersions", () => {
  it("leaves the words of publishers as they are up to a mebi of characters in all", () => {
    const versions = versionsOf(1024, "w".repeat(1000));
    expect(sortUniqueVersions(versionOrderByEcosystem.npm, versions).toReversed()).toEqual(
      versions,
    );
  });

  it("cuts longer ones to an equal share each", () => {
    const sorted = sortUniqueVersions(
      versionOrderByEcosystem.npm,
      versionsOf(10_000, "w".repeat(1000)),
    );
    const texts = sorted.map(({ deprecation, withdrawal }) =>
      deprecation === undefined ? withdrawal?.reason : deprecation.message,
    );
    expect(new Set(texts)).toEqual(new Set([`${"w".repeat(103)}…`]));
  });
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  curatedMaintainerStatements,
  findCuratedPackageEntry,
} from "../../../src/depshealth/curated/entries.ts";
import { createPackageRegistries } from "../../../src/depshealth/ecosystem/create-registries.ts";
import { resolveRegistryAddresses } from "../../../src/depshealth/ecosystem/registry-addresses.ts";
import { WeakMemo } from "../../../src/depshealth/fetch/weak-memo.ts";
import { ecosystems } from "../../../src/depshealth/facts.ts";
import { defaultMaintenanceVerdictThresholds } from "../../../src/depshealth/verdict/thresholds.ts";
import { verdictReasonCodes } from "../../../src/depshealth/verdict/verdict.ts";

const page = readFileSync(join(import.meta.dirname, "../../../docs/dependency-health.md"), "utf8");

/** What callers read; a name may be added and none may change. */
const pinnedCodes = [
  "not_found",
  "removed_by_registry",
  "version_not_found",
  "deprecated_package",
  "deprecated_version",
  "all_releases_withdrawn",
  "rustsec_unmaintained",
  "product_eol",
  "curated",
  "repository_archived",
  "inactive_classifier",
  "no_recent_activity",
  "no_recent_release",
  "recent_release",
  "recent_push",
  "evidence_missing",
  "cycle_eol",
  "version_withdrawn",
  "malicious_version",
  "repository_link_suspect",
  "finished_candidate",
  "curated_note",
  "source_failed",
  "advisory_by_registry",
  "new_package",
  "did_you_mean",
  "install_script",
  "advisories_incomplete",
];

describe("the public words of a verdict", () => {
  it("are the codes of its reasons", () => {
    expect(verdictReasonCodes).toEqual(pinnedCodes);
  });

  it("are explained in the documentation", () => {
    expect(verdictReasonCodes.filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
  });

  it("are the ages that the documentation names", () => {
    expect(defaultMaintenanceVerdictThresholds).toEqual({
      releaseDays: 730,
      pushDays: 365,
      releaseAloneDays: 1095,
      inactiveDays: 365,
      suspectLinkDays: 90,
      finishedDependents: 1000,
      newPackageDays: 30,
      minDependents: 50,
    });
    for (const age of Object.values(defaultMaintenanceVerdictThresholds))
      expect(page).toContain(String(age));
  });
});

/** Registries that are asked for nothing but how they spell names. */
function offlineParts() {
  return {
    clients: { create: () => undefined } as never,
    addresses: resolveRegistryAddresses({}),
    derived: new WeakMemo(),
    configured: {},
    configuredRegistries: {},
    npmRegistries: [],
  };
}

describe("what maintainers have said", () => {
  it("[successors.curated] is an entry for each package", () => {
    const keys = curatedMaintainerStatements.map(
      ({ ecosystem, name }) => `${ecosystem} ${name.toLowerCase()}`,
    );
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.length).toBeGreaterThanOrEqual(200);
    expect(new Set(curatedMaintainerStatements.map(({ ecosystem }) => ecosystem))).toEqual(
      new Set(ecosystems),
    );
  });

  it("[successors.curated] can be read where it was said", () => {
    const unread = curatedMaintainerStatements.filter(
      ({ source, statement, kind }) =>
        URL.parse(source)?.protocol !== "https:" ||
        !/^[A-Z].+\.$/.test(statement) ||
        !["deprecated", "note"].includes(kind),
    );
    expect(unread).toEqual([]);
  });

  it("[successors.curated] spells what takes a package's place as its source does, and its registry", () => {
    const registries = createPackageRegistries(offlineParts());
    const misspelled = curatedMaintainerStatements.filter(
      ({ ecosystem, name, statement, replacement }) => {
        const canonical = registries[ecosystem].canonicalName(name);
        const isFound =
          canonical !== undefined && findCuratedPackageEntry(ecosystem, canonical) !== undefined;
        if (!isFound || replacement === undefined) return !isFound;
        const isSpelled = statement.includes(`\`${replacement}\``);
        return !isSpelled || registries[ecosystem].canonicalName(replacement) === undefined;
      },
    );
    expect(misspelled).toEqual([]);
  });

  it("[successors.curated] leads to nothing that has a successor itself", () => {
    const chained = curatedMaintainerStatements.filter(({ ecosystem, replacement }) => {
      const next = findCuratedPackageEntry(ecosystem, replacement ?? "");
      return next?.kind === "deprecated";
    });
    expect(chained).toEqual([]);
  });
});

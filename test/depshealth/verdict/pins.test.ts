import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { curatedEntries } from "../../../src/depshealth/curated/entries.ts";
import { ecosystems } from "../../../src/depshealth/facts.ts";
import { defaultThresholds } from "../../../src/depshealth/verdict/thresholds.ts";
import { reasonCodes } from "../../../src/depshealth/verdict/verdict.ts";

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
];

describe("the public words of a verdict", () => {
  it("are the codes of its reasons", () => {
    expect(reasonCodes).toEqual(pinnedCodes);
  });

  it("are explained in the documentation", () => {
    expect(reasonCodes.filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
  });

  it("are the ages that the documentation names", () => {
    expect(defaultThresholds).toEqual({
      releaseDays: 730,
      pushDays: 365,
      releaseAloneDays: 1095,
      inactiveDays: 365,
      suspectLinkDays: 90,
      finishedDependents: 1000,
      newPackageDays: 30,
      littleUsed: 50,
    });
    for (const age of Object.values(defaultThresholds)) expect(page).toContain(String(age));
  });
});

describe("what maintainers have said", () => {
  it.each([...curatedEntries])("of %s can be read where it was said", (key, entry) => {
    const [ecosystem = "", name = ""] = key.split(" ");
    expect(ecosystems).toContain(ecosystem);
    expect(name).not.toBe("");
    expect(new URL(entry.source).protocol).toBe("https:");
    expect(entry.statement).toMatch(/^[A-Z].+\.$/);
  });
});

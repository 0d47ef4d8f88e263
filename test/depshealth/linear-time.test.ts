import { describe, expect, it } from "vitest";
import { markRetractedVersions } from "../../src/depshealth/ecosystem/go-proxy.ts";
import { sortUniqueVersions } from "../../src/depshealth/ecosystem/sort-versions.ts";
import { versionOrderByEcosystem } from "../../src/depshealth/ecosystem/version-order.ts";
import type {
  AdvisoryFacts,
  PackageInfo,
  PackageVersionFacts,
} from "../../src/depshealth/facts.ts";
import { parseAdvisoryAlternatives } from "../../src/depshealth/source/parse-alternatives.ts";
import { mergeAdvisories } from "../../src/depshealth/source/merge-advisories.ts";
import type { AdvisoryRecord } from "../../src/depshealth/source/osv-advisory.ts";
import { findLowestFixedVersion } from "../../src/depshealth/summary/lowest-fixed-version.ts";
import { formatNameCorrectionAdvice } from "../../src/depshealth/verdict/correct-spelling.ts";
import { expectLinear } from "../support/growth.ts";

function versionsOf(numbers: readonly string[]): readonly PackageVersionFacts[] {
  return sortUniqueVersions(
    versionOrderByEcosystem.go,
    numbers.map((version) => ({ version, stable: true, releasedAt: null })),
  );
}

function count<Item>(size: number, make: (index: number) => Item): Item[] {
  return Array.from({ length: size }, (_, index) => make(index));
}

describe("withRetractions", () => {
  it("marks many versions by many retractions in time that grows with both", () => {
    expectLinear(800, (size) => {
      const versions = versionsOf(count(size, (index) => `v1.${index}.0`));
      const retractions = count(size, (index) => ({
        low: `v2.${index}.0`,
        high: `v2.${index}.1`,
        reason: null,
      }));
      return () => markRetractedVersions(versions, retractions);
    });
  });

  it("gives a version the reason of the first retraction that names it", () => {
    const marked = markRetractedVersions(versionsOf(["v1.0.0", "v1.1.0", "v1.2.0", "v1.3.0"]), [
      { low: "v1.1.0", high: "v1.1.0", reason: "one" },
      { low: "v1.0.0", high: "v1.2.0", reason: "range" },
      { low: "v0.1.0", high: "v1.1.5", reason: "late" },
    ]);
    expect(marked.map(({ version, withdrawal }) => [version, withdrawal?.reason])).toEqual([
      ["v1.3.0", undefined],
      ["v1.2.0", "range"],
      ["v1.1.0", "one"],
      ["v1.0.0", "range"],
    ]);
  });
});

describe("parseAlternatives", () => {
  it("reads a list of many lines in time that grows with its length", () => {
    expectLinear(8000, (size) => {
      const text = "x:\n".repeat(size);
      return () => parseAdvisoryAlternatives("", text, "npm", "own");
    });
  });

  it("reads a text of many names in time that grows with its length", () => {
    expectLinear(4000, (size) => {
      const text = count(size, (index) => `use \`name${index}\` instead.`).join(" ");
      return () => parseAdvisoryAlternatives("", text, "npm", "own");
    });
  });

  it("finds the words that lead to a list where a line break parts them", () => {
    const text = "It is gone. Be interested\nin these:\n- `fresh-thing`\n";
    expect(parseAdvisoryAlternatives("", text, "npm", "own")).toEqual(["fresh-thing"]);
  });

  it("leaves out a package that the text says is taken", () => {
    const text = "Switch to `one-thing` or `other-thing`. `one-thing` is already taken.";
    expect(parseAdvisoryAlternatives("", text, "npm", "own")).toEqual(["other-thing"]);
  });
});

const subject = { ecosystem: "npm", name: "own", version: "1.0.0", filedAs: "npm" } as const;

function recordOf(id: string, aliases: readonly string[] = []): AdvisoryRecord {
  return {
    id,
    details: {
      aliases,
      summary: id,
      text: "",
      withdrawnAt: null,
      severityWord: null,
      vectors: [],
      affected: [],
    },
  };
}

describe("mergeAdvisories", () => {
  it("folds many records in time that grows with their number", () => {
    expectLinear(1500, (size) => {
      const records = count(size, (index) => recordOf(`GHSA-${index}`, [`CVE-${index}`]));
      return () => mergeAdvisories(records, subject);
    });
  });

  it("folds records that only a later one joins", () => {
    const records = [recordOf("CVE-1"), recordOf("CVE-2"), recordOf("GHSA-3", ["CVE-1", "CVE-2"])];
    const { advisories } = mergeAdvisories([...records, recordOf("CVE-4")], subject);
    expect(advisories.map(({ id, aliases }) => [id, ...aliases])).toEqual([
      ["CVE-4"],
      ["GHSA-3", "CVE-1", "CVE-2"],
    ]);
  });
});

function advisoryOf(...fixedIn: string[]): AdvisoryFacts {
  return {
    id: "a",
    aliases: [],
    severity: "high",
    summary: "",
    fixedIn,
    url: "",
    malicious: false,
  };
}

function fixIn(versions: readonly PackageVersionFacts[], advisories: readonly AdvisoryFacts[]) {
  const known = { ecosystem: "npm", version: "1.0.0", versions, advisories, evidence: [] };
  return findLowestFixedVersion(known as unknown as PackageInfo);
}

describe("lowestFixedVersion", () => {
  it("looks through many versions and advisories in time that grows with both", () => {
    expectLinear(250, (size) => {
      const versions = versionsOf(count(size, (index) => `1.${index + 1}.0`));
      const advisories = count(size, () => advisoryOf("1.0.5"));
      return () => fixIn(versions, advisories);
    });
  });

  it("returns the lowest version that has every fix of its major version", () => {
    const versions = versionsOf(["1.0.0", "1.1.0", "1.2.0", "2.0.0", "2.1.0"]);
    expect(fixIn(versions, [advisoryOf("1.1.0", "2.1.0"), advisoryOf("1.2.0")])).toBe("1.2.0");
    expect(fixIn(versions, [advisoryOf("1.1.0", "1.2.5")])).toBe("2.0.0");
    expect(fixIn(versions, [advisoryOf("1.1.0"), advisoryOf()])).toBeUndefined();
  });
});

describe("correctSpelling", () => {
  it("reads a name with much white space in time that grows with its length", () => {
    expectLinear(8000, (size) => {
      const name = `a${" ".repeat(size)},`;
      return () => formatNameCorrectionAdvice("pypi", name);
    });
  });
});

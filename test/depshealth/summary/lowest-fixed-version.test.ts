import { describe, expect, it } from "vitest";
import type { AdvisoryFacts, Ecosystem, PackageInfo } from "../../../src/depshealth/facts.ts";
import { mergeAdvisories } from "../../../src/depshealth/source/merge-advisories.ts";
import { findLowestFixedVersion } from "../../../src/depshealth/summary/lowest-fixed-version.ts";
import { expectLinear } from "../../support/growth.ts";

type Event = readonly [kind: "introduced" | "fixed" | "last_affected", version: string];

/** An advisory whose record has these ranges. */
function advisoryOf(ecosystem: Ecosystem, ...ranges: readonly (readonly Event[])[]): AdvisoryFacts {
  const filedAs = "Test";
  const affected = {
    ecosystem: filedAs,
    name: "a",
    fixedIn: ranges.flat().flatMap(([kind, version]) => (kind === "fixed" ? [version] : [])),
    versions: [],
    hasRanges: true,
    ranges: ranges.map((events) => events.map(([kind, version]) => ({ kind, version }))),
    informational: null,
    severity: null,
  };
  const details = {
    aliases: [],
    summary: null,
    text: "",
    withdrawnAt: null,
    severityWord: null,
    vectors: [],
    affected: [affected],
  };
  const subject = { ecosystem, name: "a", version: "", filedAs };
  const [advisory] = mergeAdvisories([{ id: "GHSA-1", details }], subject).advisories;
  if (advisory === undefined) throw new Error("There is no advisory.");
  return advisory;
}

function fixOf(
  version: string,
  versions: readonly string[],
  advisories: readonly AdvisoryFacts[],
  ecosystem: Ecosystem = "npm",
): string | undefined {
  const facts = versions.map((each) => ({ version: each, stable: true, releasedAt: null }));
  const known = { ecosystem, version, versions: facts, advisories, evidence: [] };
  return findLowestFixedVersion(known as unknown as PackageInfo);
}

const versions = ["3.0.0", "2.1.1", "2.1.0", "2.0.1", "2.0.0", "1.2.5", "1.2.4", "1.0.0"];
const oldLine: readonly Event[] = [
  ["introduced", "0"],
  ["fixed", "1.2.5"],
];

describe("findLowestFixedVersion", () => {
  it.each<
    readonly [ranges: readonly (readonly Event[])[], assessed: string, fix: string | undefined]
  >([
    [[oldLine, [["introduced", "2.0.0"]]], "2.0.0", undefined],
    [[oldLine, [["introduced", "2.0.0"]]], "1.0.0", "1.2.5"],
    [
      [
        oldLine,
        [
          ["introduced", "2.0.0"],
          ["last_affected", "2.1.0"],
        ],
      ],
      "2.0.0",
      "2.1.1",
    ],
    [
      [
        oldLine,
        [
          ["introduced", "2.0.0"],
          ["fixed", "3.0.0"],
        ],
      ],
      "2.0.0",
      "3.0.0",
    ],
    [
      [
        [
          ["fixed", "3.0.0"],
          ["introduced", "2.0.0"],
          ["fixed", "1.2.5"],
          ["introduced", "0"],
        ],
      ],
      "2.0.1",
      "3.0.0",
    ],
    [
      [
        [
          ["introduced", "1.0.0"],
          ["last_affected", "1.0.0"],
        ],
      ],
      "1.0.0",
      "1.2.4",
    ],
    [
      [
        [
          ["introduced", "0"],
          ["fixed", "2.0.1"],
          ["introduced", "2.0.1"],
          ["fixed", "3.0.0"],
        ],
      ],
      "2.0.0",
      "3.0.0",
    ],
    [[[["introduced", "0"]]], "1.0.0", undefined],
  ])("finds for the ranges %j and the version %s the version %s", (ranges, assessed, fix) => {
    expect(fixOf(assessed, versions, [advisoryOf("npm", ...ranges)])).toBe(fix);
  });

  it("reads bounds of Go without their v", () => {
    const advisory = advisoryOf("go", oldLine, [
      ["introduced", "2.0.0"],
      ["last_affected", "2.1.0"],
    ]);
    const listed = versions.map((version) => `v${version}`);
    expect(fixOf("v2.0.0", listed, [advisory], "go")).toBe("v2.1.1");
  });

  it("ignores fixes below the assessed version if there are no ranges", () => {
    const { affectedRanges: _, ...advisory } = advisoryOf("npm", oldLine);
    expect(fixOf("2.0.0", versions, [advisory])).toBeUndefined();
    expect(fixOf("1.0.0", versions, [advisory])).toBe("1.2.5");
  });

  it("goes by the fixes if no range holds the assessed version", () => {
    const advisory = advisoryOf("npm", [
      ["introduced", "3.0.0"],
      ["fixed", "3.0.1"],
    ]);
    expect(fixOf("1.0.0", versions, [{ ...advisory, fixedIn: ["1.2.4"] }])).toBe("1.2.4");
  });

  it("holds for an assessed version that the list lacks", () => {
    expect(fixOf("0.9.0", versions, [advisoryOf("npm", oldLine)])).toBe("1.2.5");
    expect(
      fixOf("2.0.5", versions, [
        advisoryOf("npm", oldLine, [
          ["introduced", "2.0.0"],
          ["fixed", "2.1.0"],
        ]),
      ]),
    ).toBe("2.1.0");
  });

  it("is computed once for all parts of an answer", () => {
    let reads = 0;
    const facts = {
      stable: true,
      releasedAt: null,
      get version() {
        reads += 1;
        return "1.2.5";
      },
    };
    const advisories = [advisoryOf("npm", oldLine)];
    const known = {
      ecosystem: "npm",
      version: "1.0.0",
      versions: [facts],
      advisories,
      evidence: [],
    };
    const find = () => findLowestFixedVersion(known as unknown as PackageInfo);
    expect(find()).toBe("1.2.5");
    const before = reads;
    expect(find()).toBe("1.2.5");
    expect(reads).toBe(before);
  });

  it("reads few of many versions", () => {
    let reads = 0;
    const facts = Array.from({ length: 10_000 }, (_, index) => ({
      stable: false,
      releasedAt: null,
      get version() {
        reads += 1;
        return `1.${10_000 - index}.0`;
      },
    }));
    const advisories = [
      advisoryOf("npm", [
        ["introduced", "0"],
        ["fixed", "1.5000.0"],
      ]),
    ];
    const known = { ecosystem: "npm", version: "1.0.0", versions: facts, advisories, evidence: [] };
    expect(findLowestFixedVersion(known as unknown as PackageInfo)).toBeUndefined();
    expect(reads).toBeLessThan(200);
  });

  it("takes time that grows with the events of a range", () => {
    expectLinear(500, (size) => {
      const events = Array.from({ length: size }, (_, index): readonly Event[] => [
        ["introduced", `1.${index}.0`],
        ["fixed", `1.${index}.5`],
      ]).flat();
      return () => fixOf("1.0.0", versions, [advisoryOf("npm", events)]);
    });
  });
});

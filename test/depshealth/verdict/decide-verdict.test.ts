import { describe, expect, it } from "vitest";
import type { DataSourceEvidence, PackageInfo } from "../../../src/depshealth/facts.ts";
import type { MaintenanceVerdictInput } from "../../../src/depshealth/verdict/verdict.ts";
import { aged, daysAgo, evidence, judged, repository, version } from "./known-package.ts";

type Row = readonly [
  rule: string,
  verdict: string,
  code: string,
  changes: Partial<PackageInfo>,
  further?: Partial<Pick<MaintenanceVerdictInput, "support" | "curated">>,
];

const marked = { deprecation: { message: "Do not use." } };
const ended = { label: "Left", allEnded: true, endedCycle: undefined };
const curated = { kind: "deprecated", statement: "Gone.", source: "https://a.example" } as const;

const rows: readonly Row[] = [
  ["1 nobody knows the name", "unknown", "not_found", { existence: "not_found", versions: [] }],
  ["2 the registry removed it", "deprecated", "removed_by_registry", { existence: "removed" }],
  [
    "2 the registry holds the name",
    "deprecated",
    "removed_by_registry",
    { status: { kind: "removed", message: "security holding package" } },
  ],
  [
    "2 before a version that is gone with it",
    "deprecated",
    "removed_by_registry",
    { existence: "removed", versionFound: false },
  ],
  [
    "the registry lacks the version",
    "unknown",
    "version_not_found",
    { version: "9.9.9", versionFound: false },
  ],
  [
    "3 the registry marks the package",
    "deprecated",
    "deprecated_package",
    { status: { kind: "deprecated", message: "abandoned" } },
  ],
  [
    "3 the latest version is marked",
    "deprecated",
    "deprecated_package",
    { versions: [version("2.0.0", marked), version("1.0.0")], version: "1.0.0" },
  ],
  [
    "4 only the assessed version is marked",
    "deprecated",
    "deprecated_version",
    { versions: [version("2.0.0"), version("1.0.0", marked)], version: "1.0.0" },
  ],
  [
    "5 all stable releases were taken back",
    "deprecated",
    "all_releases_withdrawn",
    {
      versions: [
        version("3.0.0-rc.1", { stable: false }),
        version("2.0.0", { withdrawal: { kind: "yanked", reason: null } }),
        version("1.0.0", marked),
      ],
      latestVersion: "3.0.0-rc.1",
      version: "3.0.0-rc.1",
    },
  ],
  [
    "6 RustSec says unmaintained",
    "deprecated",
    "rustsec_unmaintained",
    {
      notices: [
        { id: "RUSTSEC-2020-0001", kind: "unmaintained", summary: null, url: "https://a.example" },
      ],
    },
  ],
  ["7 all its cycles have ended", "deprecated", "product_eol", {}, { support: ended }],
  ["8 its maintainers say so", "deprecated", "curated", {}, { curated }],
  [
    "9 the repository is archived",
    "archived",
    "repository_archived",
    { repository: repository({ archived: true }) },
  ],
  [
    "9 the registry archived the project",
    "archived",
    "repository_archived",
    { status: { kind: "archived", message: null } },
  ],
  [
    "10 inactive, and no release for a year",
    "stale",
    "inactive_classifier",
    { ...aged(366, 5), status: { kind: "inactive", message: null } },
  ],
  ["11 neither release nor push", "stale", "no_recent_activity", aged(731, 366)],
  ["12 no push known, no release for long", "stale", "no_recent_release", aged(1096, null)],
  [
    "12 no repository, no release",
    "stale",
    "no_recent_release",
    { ...aged(1096, 1), repository: null },
  ],
  [
    "13 one of several packages of a busy repository",
    "stale",
    "no_recent_release",
    { ...aged(1096, 1), repository: repository({ directory: "packages/left" }) },
  ],
  ["14 released not long ago", "active", "recent_release", aged(730, 900)],
  ["14 pushed to not long ago", "active", "recent_push", aged(4000, 365)],
  [
    "14 a young package of a busy repository",
    "active",
    "recent_push",
    { ...aged(1095, 1), repository: repository({ directory: "packages/left" }) },
  ],
  ["15 old release, unknown push", "unknown", "evidence_missing", aged(1000, null)],
  ["15 nothing known", "unknown", "evidence_missing", { ...aged(null, null), versions: [] }],
];

describe("[health.one-verdict] the decision table", () => {
  const table = rows.map(([rule, verdict, code, changes, further]) => ({
    rule,
    verdict,
    code,
    changes,
    further,
  }));
  it.each(table)(
    "[verdict.values] $rule: $verdict, $code",
    ({ verdict, code, changes, further }) => {
      const judgement = judged(changes, further);
      expect([judgement.verdict, judgement.reasons[0].code]).toEqual([verdict, code]);
      expect(judgement.reasons[0].message).toMatch(/\S/);
    },
  );

  it("keeps the order of the rows when all of them fire", () => {
    const everything: Partial<PackageInfo> = {
      ...aged(5000, 5000),
      existence: "removed",
      versions: [version("2.0.0", marked)],
      status: { kind: "inactive", message: null },
      repository: repository({ archived: true, lastPushAt: daysAgo(5000) }),
      notices: [{ id: "R", kind: "unmaintained", summary: null, url: "https://a.example" }],
    };
    const { reasons } = judged(everything, { support: ended, curated });
    expect(reasons.map(({ code }) => code)).toEqual([
      "removed_by_registry",
      "deprecated_package",
      "all_releases_withdrawn",
      "rustsec_unmaintained",
      "product_eol",
      "curated",
      "repository_archived",
      "inactive_classifier",
      "no_recent_activity",
    ]);
  });

  it("gives the publisher's words verbatim, and the version that is not deprecated", () => {
    const versions = [version("2.0.0"), version("1.0.0", marked)];
    const [reason] = judged({ versions, version: "1.0.0" }).reasons;
    expect(reason.message).toContain("Do not use.");
    expect(reason.message).toContain("2.0.0");
  });

  it("ends with one full stop whatever others wrote", () => {
    const notice = { id: "R-1", kind: "unmaintained", url: "https://a.example" } as const;
    const [noticed] = judged({ notices: [{ ...notice, summary: "left is no more." }] }).reasons;
    expect(noticed.message).toBe("R-1 says that left is unmaintained: left is no more.");
    const [archived] = judged({ status: { kind: "archived", message: "Moved on. " } }).reasons;
    expect(archived.message).toBe("left is archived in its registry: Moved on.");
  });

  it("calls an unmarked version deprecated when the latest is", () => {
    const versions = [version("2.0.0", marked), version("1.0.0")];
    expect(judged({ versions, version: "1.0.0" }).verdict).toBe("deprecated");
  });

  it("calls no package deprecated for an old version that is not asked about", () => {
    const versions = [version("2.0.0"), version("1.0.0", marked)];
    expect(judged({ versions }).verdict).toBe("active");
  });
});

describe("an archived repository that releases have left behind", () => {
  const old = {
    ...aged(100, 400),
    repository: repository({ archived: true, lastPushAt: daysAgo(191) }),
  };

  it("is ignored, and so is its push", () => {
    const { verdict, reasons } = judged(old);
    expect(verdict).toBe("active");
    expect(reasons.map(({ code }) => code)).toEqual(["recent_release", "repository_link_suspect"]);
  });

  it("is named as archived in the reason that doubts the link", () => {
    const suspect = judged(old).reasons.find(({ code }) => code === "repository_link_suspect");
    expect(suspect?.message).toBe(
      "https://git.example/acme/left is archived, but left was released long after the last push there: it may have moved.",
    );
  });

  it("counts while the release is no more than 90 days newer", () => {
    const near = { ...old, repository: repository({ archived: true, lastPushAt: daysAgo(190) }) };
    expect(judged(near).verdict).toBe("archived");
  });
});

describe("a source that failed", () => {
  const registryDown = [evidence("npm", "metadata", false), evidence("github", "repository")];

  it("makes nothing active: without the registry's word nobody knows of a deprecation", () => {
    const { verdict, reasons } = judged({ evidence: registryDown });
    expect(verdict).toBe("unknown");
    expect(reasons.map(({ code }) => code)).toEqual(["evidence_missing", "source_failed"]);
  });

  it("makes no crate active: RustSec alone says which are unmaintained", () => {
    const registry = evidence("cargo", "metadata");
    const heard = evidence("osv", "advisories");
    const failed = evidence("osv", "advisories", false);
    const crate = (advisories: [] | null, ...said: DataSourceEvidence[]) =>
      judged({ ecosystem: "cargo", advisories, evidence: [registry, ...said] });
    const { verdict, reasons } = crate(null, failed);
    expect(verdict).toBe("unknown");
    expect(reasons.map(({ code }) => code)).toEqual(["evidence_missing", "source_failed"]);
    // Only the ids were to be had, and not what they say.
    expect(crate([], heard, failed).verdict).toBe("unknown");
    expect(crate([], heard).verdict).toBe("active");
    // What was said before still serves.
    expect(crate([], heard, { ...failed, refresh: true }).verdict).toBe("active");
    // Nobody was asked.
    expect(crate(null).verdict).toBe("active");
  });

  it("makes nothing active when the registry was not asked at all", () => {
    expect(judged({ evidence: [] }).verdict).toBe("unknown");
  });

  it("takes nothing from a verdict that others can prove", () => {
    const { verdict } = judged({
      evidence: registryDown,
      repository: repository({ archived: true }),
    });
    expect(verdict).toBe("archived");
  });

  it("that has answered before is believed a while longer, and the failure is told", () => {
    const refreshFailed = { ...evidence("npm", "metadata", false), refresh: true } as const;
    const { verdict, reasons } = judged({ evidence: [evidence("npm", "metadata"), refreshFailed] });
    expect(verdict).toBe("active");
    expect(reasons.map(({ code }) => code)).toContain("source_failed");
  });

  it("of the repository leaves the registry's evidence, and is told", () => {
    const evidences = [evidence("npm", "metadata"), evidence("github", "repository", false)];
    const { verdict, reasons } = judged({ ...aged(10, null), evidence: evidences });
    expect(verdict).toBe("active");
    expect(reasons[1]).toEqual({
      code: "source_failed",
      message: "Could not be asked: github (repository).",
    });
  });
});

describe("what qualifies a verdict", () => {
  const stale = aged(3000, 3000);

  it("a stale package with many dependents and no flaw may be finished", () => {
    const codes = judged({ ...stale, dependentsCount: 1000 }).reasons.map(({ code }) => code);
    expect(codes).toEqual(["no_recent_activity", "finished_candidate"]);
  });

  const flaw = {
    id: "GHSA-1",
    aliases: [],
    severity: "high",
    summary: null,
    fixedIn: [],
    url: "https://a.example",
    malicious: false,
  } as const;

  it.each([
    ["few dependents", { dependentsCount: 999 }],
    ["unknown dependents", { dependentsCount: null }],
    ["a flaw", { dependentsCount: 5000, advisories: [flaw] }],
    ["unknown advisories", { dependentsCount: 5000, advisories: null }],
    ["an older version", { dependentsCount: 5000, version: "1.0.0" }],
  ])("but not with %s", (_what, changes) => {
    const codes = judged({ ...stale, ...changes }).reasons.map(({ code }) => code);
    expect(codes).not.toContain("finished_candidate");
  });

  it("advisories never change a verdict, and malice is told", () => {
    const { verdict, reasons } = judged({ advisories: [{ ...flaw, malicious: true }] });
    expect(verdict).toBe("active");
    expect(reasons.map(({ code }) => code)).toContain("malicious_version");
  });

  it("the ended cycle of the assessed version alone changes nothing", () => {
    const support = {
      label: "Left",
      allEnded: false,
      endedCycle: { name: "1", endedOn: "2020-01-01" },
    };
    const { verdict, reasons } = judged({}, { support });
    expect(verdict).toBe("active");
    expect(reasons.at(-1)).toEqual({
      code: "cycle_eol",
      message: "Support of Left 1 ended on 2020-01-01.",
    });
  });

  it("a note of ours changes nothing", () => {
    const { verdict, reasons } = judged({}, { curated: { ...curated, kind: "note" } });
    expect(verdict).toBe("active");
    expect(reasons.map(({ code }) => code)).toContain("curated_note");
  });

  it("the assessed version was yanked", () => {
    const versions = [
      version("2.0.0"),
      version("1.0.0", { withdrawal: { kind: "yanked", reason: "broken" } }),
    ];
    const { verdict, reasons } = judged({ versions, version: "1.0.0" });
    expect(verdict).toBe("active");
    expect(reasons.at(-1)).toEqual({
      code: "version_withdrawn",
      message: "left 1.0.0 was yanked: broken",
    });
  });
});

describe("the replacement", () => {
  it("is the best that its registry was found to have", () => {
    const best = { name: "right", source: "registry", version: "2.0.0" } as const;
    const other = { name: "straight", source: "advisory" } as const;
    const of = (replacements: PackageInfo["replacements"]) => judged({ replacements }).replacement;
    expect(of([best, other])).toEqual(best);
    expect(of([other])).toEqual({ ...other, version: null });
  });

  it("is missing where nobody names one", () => {
    expect(judged().replacement).toBeUndefined();
  });
});

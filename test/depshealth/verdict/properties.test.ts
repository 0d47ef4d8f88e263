import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DataSourceEvidence, PackageInfo } from "../../../src/depshealth/facts.ts";
import { decideMaintenanceVerdict } from "../../../src/depshealth/verdict/decide-verdict.ts";
import { defaultMaintenanceVerdictThresholds } from "../../../src/depshealth/verdict/thresholds.ts";
import type { MaintenanceVerdictInput } from "../../../src/depshealth/verdict/verdict.ts";
import { daysAgo, known, now, repository, version } from "./known-package.ts";

const time = fc.option(fc.integer({ min: -100, max: 6000 }).map(daysAgo), { nil: null });
const mark = fc.record({
  kind: fc.constantFrom("deprecated", "archived", "removed", "inactive"),
  message: fc.option(fc.string(), { nil: null }),
});
const evidence: fc.Arbitrary<DataSourceEvidence> = fc.record({
  source: fc.constantFrom("npm", "osv", "github", "ecosystems"),
  kind: fc.constantFrom("metadata", "repository", "advisories", "dependents"),
  ok: fc.boolean(),
  observedAt: fc.constant(now),
});
const versions = fc.array(
  fc.record({
    version: fc.constantFrom("1.0.0", "2.0.0", "3.0.0"),
    stable: fc.boolean(),
    releasedAt: time,
    deprecation: fc.option(fc.constant({ message: null }), { nil: undefined }),
  }),
  { maxLength: 3 },
);

const cases: fc.Arbitrary<MaintenanceVerdictInput> = fc
  .record({
    existence: fc.constantFrom("found", "removed", "not_found", "undetermined"),
    versions,
    version: fc.constantFrom("1.0.0", "2.0.0", null),
    versionFound: fc.constantFrom(true, false, null),
    latestVersion: fc.constantFrom("2.0.0", null),
    newestReleaseAt: time,
    mark: fc.option(mark, { nil: undefined }),
    archived: fc.option(fc.boolean(), { nil: null }),
    lastPushAt: time,
    directory: fc.constantFrom(null, "packages/left"),
    advisories: fc.constantFrom([], null),
    dependentsCount: fc.constantFrom(null, 0, 5000),
    evidence: fc.array(evidence, { maxLength: 5 }),
  })
  .map(({ archived, lastPushAt, directory, mark, versions, ...facts }) => ({
    info: known({
      ...facts,
      versions: versions.map(({ deprecation, ...it }) =>
        version(it.version, { ...it, ...(deprecation !== undefined && { deprecation }) }),
      ),
      ...(mark !== undefined && { status: mark }),
      repository: repository({ archived, lastPushAt, directory }),
    }),
    support: undefined,
    curated: undefined,
    now,
    thresholds: defaultMaintenanceVerdictThresholds,
  }));

describe("whatever is known", () => {
  it("the same facts give the same verdict, and a reason for it", () => {
    fc.assert(
      fc.property(cases, (it) => {
        const judgement = decideMaintenanceVerdict(it);
        expect(decideMaintenanceVerdict(it)).toEqual(judgement);
        for (const { message } of judgement.reasons) expect(message.trim()).not.toBe("");
      }),
    );
  });

  it("[tools.unknown-is-null] a registry that fails never makes a package active", () => {
    fc.assert(
      fc.property(cases, (it) => {
        const failed = { source: "npm", kind: "metadata", ok: false, observedAt: now } as const;
        const { verdict } = decideMaintenanceVerdict(
          withKnown(it, { evidence: [...it.info.evidence, failed] }),
        );
        expect(verdict).not.toBe("active");
      }),
    );
  });

  it("losing what the repository's host says never turns a package active, unless it was archived or stale by it", () => {
    fc.assert(
      fc.property(cases, (it) => {
        const host = repository({ archived: null, lastPushAt: null });
        const before = decideMaintenanceVerdict(it);
        const after = decideMaintenanceVerdict(withKnown(it, { repository: host }));
        if (after.verdict !== "active" || before.verdict === "active") return;
        expect(after.reasons[0].code).toBe("recent_release");
        expect(before.verdict).toBe("archived");
      }),
    );
  });

  it("advisories do not matter", () => {
    fc.assert(
      fc.property(cases, (it) => {
        const flaw = {
          id: "A",
          aliases: [],
          severity: "critical",
          summary: null,
          fixedIn: [],
          url: "https://a.example",
          malicious: true,
        } as const;
        expect(decideMaintenanceVerdict(withKnown(it, { advisories: [flaw] })).verdict).toBe(
          decideMaintenanceVerdict(it).verdict,
        );
      }),
    );
  });

  it("time alone never makes a package active", () => {
    fc.assert(
      fc.property(cases, fc.nat(5000), (it, days) => {
        const later = decideMaintenanceVerdict({ ...it, now: now + days * 86_400_000 });
        expect(
          later.verdict === "active" && decideMaintenanceVerdict(it).verdict !== "active",
        ).toBe(false);
      }),
    );
  });
});

function withKnown(
  it: MaintenanceVerdictInput,
  changes: Partial<PackageInfo>,
): MaintenanceVerdictInput {
  return { ...it, info: { ...it.info, ...changes } };
}

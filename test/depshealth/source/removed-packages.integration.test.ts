import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startFakeSources, type FakeSources } from "../../support/fake-sources/fake-sources.ts";
import { status } from "../../support/fake-sources/faults.ts";
import { openFacts, type FactsUnderTest } from "../../support/fake-sources/open-facts.ts";
import { serveOsv } from "../../support/fake-sources/sources.ts";
import { decideMaintenanceVerdict } from "../../../src/depshealth/verdict/decide-verdict.ts";
import { defaultMaintenanceVerdictThresholds } from "../../../src/depshealth/verdict/thresholds.ts";
import type { PackageInfo } from "../../../src/depshealth/facts.ts";

let fake: FakeSources;
let facts: FactsUnderTest;

beforeEach(async () => {
  fake = await startFakeSources();
  facts = openFacts(fake, { off: ["ecosystems", "depsdev"] });
});

afterEach(async () => {
  await facts.close();
  await fake.close();
});

function reasonsOf(info: PackageInfo) {
  const now = facts.clock.now();
  const [support, curated, thresholds] = [
    undefined,
    undefined,
    defaultMaintenanceVerdictThresholds,
  ];
  return decideMaintenanceVerdict({ info, support, curated, now, thresholds }).reasons;
}

/** A request for each way to name a version that a registry without the package cannot resolve. */
const named = [
  ["an exact version", { version: "1.0.0" }],
  ["a range", { select: () => undefined }],
  ["no version", {}],
] as const;

describe("a package that its registry does not have", () => {
  it.each(
    (["npm", "pypi"] as const).flatMap((ecosystem) =>
      named.map(([what, version]) => ({ ecosystem, what, version })),
    ),
  )("is malicious by its record: $ecosystem, $what", async ({ ecosystem, version }) => {
    const place = ecosystem === "npm" ? "npm/gone" : "PyPI/gone";
    const taken = [{ id: "MAL-1", versions: ["1.0.0"] }];
    serveOsv(fake, { [`${place}@1.0.0`]: taken, [`${place}@undefined`]: taken });
    const info = await facts.one({ ecosystem, name: "gone", ...version });
    expect(info.existence).toBe("not_found");
    expect(info.advisories).toMatchObject([{ id: "MAL-1", malicious: true }]);
    const reasons = reasonsOf(info);
    expect(reasons.map(({ code }) => code)).toEqual(["not_found", "malicious_version"]);
    expect(reasons[0].message).toContain("may have been taken down for what it does");
    expect(reasons[1]?.message).not.toContain("  ");
  });

  it("has no other advisories where no version is named", async () => {
    serveOsv(fake, { "npm/gone@undefined": [{ id: "GHSA-1" }] });
    const info = await facts.one({ ecosystem: "npm", name: "gone" });
    expect(info.advisories).toBeNull();
    expect(fake.count("/osv/v1/vulns/")).toBe(0);
  });

  it("has unknown advisories where the source knows none", async () => {
    serveOsv(fake, {});
    const info = await facts.one({ ecosystem: "npm", name: "gone", version: "1.0.0" });
    expect(info.advisories).toBeNull();
    expect(reasonsOf(info).map(({ code }) => code)).toEqual(["not_found"]);
  });

  it.each(named)("reports a source that fails for %s", async (_what, version) => {
    fake.fail("/osv/", status(500));
    const info = await facts.one({ ecosystem: "npm", name: "gone", ...version });
    expect(info.advisories).toBeNull();
    expect(reasonsOf(info).map(({ code }) => code)).toEqual(["not_found", "source_failed"]);
  });
});

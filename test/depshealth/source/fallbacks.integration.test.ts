import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startFakeSources, type FakeSources } from "../../support/fake-sources/fake-sources.ts";
import { status } from "../../support/fake-sources/faults.ts";
import { openFacts, type FactsUnderTest } from "../../support/fake-sources/open-facts.ts";
import { decideMaintenanceVerdict } from "../../../src/depshealth/verdict/decide-verdict.ts";
import { defaultMaintenanceVerdictThresholds } from "../../../src/depshealth/verdict/thresholds.ts";
import { serveNpm } from "../../support/fake-sources/packages.ts";
import { serveEcosystems } from "../../support/fake-sources/sources.ts";

let fake: FakeSources;
let facts: FactsUnderTest;
beforeAll(async () => {
  fake = await startFakeSources();
  facts = openFacts(fake, { off: ["osv", "github"] });
  serveEcosystems(fake, {
    "pkg:npm/dropped": { latest_release_number: "1.0.0", status: "removed" },
    "pkg:npm/%40s/dark": {
      latest_release_number: "2.0.0",
      latest_release_published_at: "2024-01-01T00:00:00.000Z",
      status: "deprecated",
      maintainers: [{}, {}],
      repository_url: "https://github.com/s/dark",
      repo_metadata: { archived: false, pushed_at: "2024-02-01T00:00:00Z" },
    },
  });
});
afterAll(async () => {
  await facts.close();
  await fake.close();
});

const indexed = {
  versions: [
    {
      versionKey: { version: "1.0.0" },
      publishedAt: "2020-01-01T00:00:00Z",
      isDeprecated: true,
      deprecatedReason: "old",
    },
    { versionKey: { version: "2.0.0" }, publishedAt: "2023-01-01T00:00:00Z", isDefault: true },
  ],
};

describe("where the registry says nothing", () => {
  it("a name was removed if another source says so", async () => {
    const known = await facts.one({ ecosystem: "npm", name: "dropped" });
    expect(known).toMatchObject({ existence: "removed", versions: [], latestVersion: null });
  });

  it("a name that others merely know is open: a mirror may lack it", async () => {
    fake.serve("/depsdev/v3/systems/npm/packages/elsewhere", { json: indexed });
    const known = await facts.one({ ecosystem: "npm", name: "elsewhere" });
    expect(known).toMatchObject({ existence: "undetermined", versions: [], version: null });
  });

  it("a mark that a mirror leaves out is told by the index, and the earlier date is the true one", async () => {
    const stripped = [
      { version: "2.0.0", at: "2026-11-01T00:00:00Z" },
      { version: "1.0.0", at: "2026-11-01T00:00:00Z" },
    ];
    serveNpm(fake, { name: "mirrored", versions: stripped });
    fake.serve("/depsdev/v3/systems/npm/packages/mirrored", { json: indexed });
    const known = await facts.one({ ecosystem: "npm", name: "mirrored", version: "1.0.0" });
    expect(known).toMatchObject({
      latestReleasedAt: Date.UTC(2023, 0, 1),
      versions: [
        { version: "2.0.0" },
        { version: "1.0.0", deprecation: { message: "old", source: "depsdev" } },
      ],
    });
    expect(known.evidence).toContainEqual(
      expect.objectContaining({ source: "depsdev", kind: "metadata", ok: true }),
    );
    const support = { support: undefined, curated: undefined };
    const about = {
      info: known,
      ...support,
      now: facts.clock.now(),
      thresholds: defaultMaintenanceVerdictThresholds,
    };
    expect(decideMaintenanceVerdict(about).reasons[0]).toMatchObject({
      code: "deprecated_version",
      message: expect.stringContaining(
        "as deps.dev tells; the mirror that was asked leaves it out",
      ),
    });
  });

  it("a name that nobody knows is not found", async () => {
    expect((await facts.one({ ecosystem: "npm", name: "nobody" })).existence).toBe("not_found");
    expect(fake.count("/depsdev/v3/systems/npm/packages/nobody")).toBe(1);
  });

  it("the others' facts stand in while it fails, and the failure is told", async () => {
    fake.serve("/depsdev/v3/systems/npm/packages/%40s%2Fdark", { json: indexed });
    const repair = fake.fail("/npm/", status(500));
    const known = await facts.one({ ecosystem: "npm", name: "@s/dark" });
    repair();
    expect(known).toMatchObject({
      existence: "found",
      latestVersion: "2.0.0",
      latestReleasedAt: Date.UTC(2023, 0, 1),
      latestYanked: null,
      maintainersCount: 2,
      status: { kind: "deprecated", message: null },
      repository: { owner: "s", name: "dark", archived: false },
    });
    expect(known.versions.at(-1)?.deprecation).toEqual({ message: "old" });
    expect(known.evidence.map(({ source, kind, ok }) => [source, kind, ok])).toEqual([
      ["npm", "metadata", false],
      ["ecosystems", "metadata", true],
      ["ecosystems", "repository", true],
      ["depsdev", "metadata", true],
      ["depsdev", "dependents", true],
    ]);
  });

  it("dates come from the index where a mirror has none", async () => {
    serveNpm(fake, { name: "dateless", versions: [{ version: "2.0.0" }, { version: "1.0.0" }] });
    fake.serve("/depsdev/v3/systems/npm/packages/dateless", { json: indexed });
    const known = await facts.one({ ecosystem: "npm", name: "dateless" });
    expect(known).toMatchObject({
      latestReleasedAt: Date.UTC(2023, 0, 1),
      newestReleaseAt: Date.UTC(2023, 0, 1),
    });
    expect(known.versions.at(-1)?.deprecation?.source).toBe("depsdev");
  });

  it("nothing is known when all fail", async () => {
    const repairs = ["/npm/", "/ecosystems/", "/depsdev/"].map((path) =>
      fake.fail(path, status(500)),
    );
    const known = await facts.one({ ecosystem: "npm", name: "unlucky" });
    for (const repair of repairs) repair();
    expect(known).toMatchObject({ existence: "undetermined", latestVersion: null, versions: [] });
    expect(known.evidence.map(({ ok }) => ok)).toEqual([false, false, false]);
  });

  it("[verdict.counts] dependents are counted by the index where the aggregator has no number", async () => {
    serveNpm(fake, {
      name: "wanted",
      versions: [{ version: "1.0.0", at: "2026-01-01T00:00:00Z" }],
    });
    fake.serve("/depsdev/v3alpha/systems/npm/packages/wanted/versions/1.0.0:dependents", {
      json: { dependentCount: 77, directDependentCount: 7 },
    });
    expect((await facts.one({ ecosystem: "npm", name: "wanted" })).dependentsCount).toBe(77);
    expect(
      (await facts.one({ ecosystem: "npm", name: "wanted" }, "verdict")).dependentsCount,
    ).toBeNull();
  });

  it("a scorecard tells that a repository is archived, for all in one request", async () => {
    const release = { version: "1.0.0", at: "2026-01-01T00:00:00Z" };
    for (const name of ["ar-a", "ar-b", "ar-c"]) {
      serveNpm(fake, { name, versions: [release], repository: `Owner/${name}` });
    }
    const project = (id: string, reason: string) => ({
      project: {
        projectKey: { id },
        scorecard: { checks: [{ name: "Maintained", score: 0, reason }] },
      },
    });
    fake.serve("/depsdev/v3alpha/projectbatch", {
      json: {
        responses: [
          project("github.com/owner/ar-a", "project is archived"),
          project("github.com/owner/ar-b", "0 commits in the last 90 days"),
          {},
        ],
      },
    });
    const references = ["ar-a", "ar-b", "ar-c"].map((name) => ({
      ecosystem: "npm" as const,
      name,
    }));
    const known = await facts.facts.gather(references, { detail: "verdict" });
    expect(known.map(({ repository }) => repository?.archived)).toEqual([true, null, null]);
    expect(fake.count("/depsdev/v3alpha/projectbatch")).toBe(1);
    expect(known[0]?.evidence.at(-1)).toMatchObject({
      source: "depsdev",
      kind: "repository",
      ok: true,
    });
  });
});

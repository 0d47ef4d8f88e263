import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PackageReference } from "../../../src/depshealth/facts.ts";
import { startFakeSources, type FakeSources } from "../../support/fake-sources/fake-sources.ts";
import { openFacts, type FactsUnderTest } from "../../support/fake-sources/open-facts.ts";
import * as packages from "../../support/fake-sources/packages.ts";
import { serveEcosystems, serveGithub, serveOsv } from "../../support/fake-sources/sources.ts";

const releases = [
  { version: "1.1.0", at: "2026-05-01T00:00:00Z" },
  { version: "1.0.0", at: "2025-05-01T00:00:00Z" },
];
const goReleases = releases.map(({ version, at }) => ({ version: `v${version}`, at }));

let fake: FakeSources;
let references: readonly PackageReference[];

beforeAll(async () => {
  fake = await startFakeSources();
  references = serveTwentyFive();
});
afterAll(() => fake.close());

/** Packages of every ecosystem, most of npm. */
function serveTwentyFive(): readonly PackageReference[] {
  const repository = (name: string) => `https://github.com/owner/${name}`;
  const npm = Array.from({ length: 11 }, (_, index) => `npm-${index}`);
  for (const name of npm) {
    packages.serveNpm(fake, { name, versions: releases, repository: repository(name) });
  }
  const pairs = ["a", "b"];
  for (const it of pairs) {
    const common = { versions: releases, repository: repository(it) };
    packages.servePypi(fake, { name: `py-${it}`, ...common });
    packages.serveCargo(fake, { name: `crate-${it}`, ...common });
    packages.serveRubygems(fake, { name: `gem-${it}`, ...common });
    packages.serveGoSite(fake, { name: `go.example/${it}`, ...common, versions: goReleases });
    packages.serveMaven(fake, { name: `org.example:${it}`, ...common });
    packages.serveNuget(fake, { name: `Nu.${it}`, ...common });
    packages.servePackagist(fake, { name: `vendor/${it}`, ...common });
  }
  const places = [...npm, ...pairs].map((name) => [
    `owner/${name}`,
    { pushedAt: "2026-06-01T00:00:00Z" },
  ]);
  serveGithub(fake, Object.fromEntries(places) as Record<string, { pushedAt: string }>);
  serveOsv(fake, { "npm/npm-0@1.1.0": [{ id: "GHSA-aaaa-bbbb-cccc", severity: "HIGH" }] });
  serveEcosystems(fake, { "pkg:npm/npm-0": { dependent_packages_count: 7 } });
  return [
    ...npm.map((name) => ({ ecosystem: "npm" as const, name })),
    ...pairs.flatMap((it) => [
      { ecosystem: "pypi" as const, name: `py-${it}` },
      { ecosystem: "cargo" as const, name: `crate-${it}` },
      { ecosystem: "rubygems" as const, name: `gem-${it}` },
      { ecosystem: "go" as const, name: `go.example/${it}` },
      { ecosystem: "maven" as const, name: `org.example:${it}` },
      { ecosystem: "nuget" as const, name: `Nu.${it}` },
      { ecosystem: "packagist" as const, name: `vendor/${it}` },
    ]),
  ];
}

async function withFacts(
  run: (facts: FactsUnderTest) => Promise<void>,
  options?: Parameters<typeof openFacts>[1],
): Promise<void> {
  const facts = openFacts(fake, options);
  try {
    await run(facts);
  } finally {
    fake.delayMs = 0;
    await facts.close();
  }
}

describe("gather()", () => {
  it("[health.ecosystems] gathers 25 packages of eight ecosystems in their order, with one failed source at most none", async () => {
    await withFacts(async ({ facts }) => {
      const known = await facts.gather(references, { detail: "verdict" });
      expect(known.map(({ ecosystem, existence }) => [ecosystem, existence])).toEqual(
        references.map(({ ecosystem }) => [ecosystem, "found"]),
      );
      for (const { latestVersion, newestReleaseAt, advisories, repository, evidence } of known) {
        expect(latestVersion).toMatch(/^v?1\.1\.0$/);
        expect(newestReleaseAt).toBe(Date.UTC(2026, 4, 1));
        expect(advisories).not.toBeNull();
        expect(repository).toMatchObject({ host: "github.com", owner: "owner", archived: false });
        expect(evidence.every(({ ok }) => ok)).toBe(true);
      }
      expect(known[0]?.advisories).toMatchObject([{ id: "GHSA-aaaa-bbbb-cccc", severity: "high" }]);
    });
  });

  it("asks for advisories, aggregated facts and, with a token, repositories once for all", async () => {
    await withFacts(
      async ({ facts }) => {
        const before = fake.requests.length;
        await facts.gather(references, { detail: "verdict" });
        const paths = fake.requests.slice(before).map(({ path }) => path);
        expect(paths.filter((path) => path === "/osv/v1/querybatch")).toHaveLength(1);
        expect(paths.filter((path) => path === "/github/graphql")).toHaveLength(1);
        expect(paths.filter((path) => path.startsWith("/ecosystems/"))).toHaveLength(1);
        expect(paths.filter((path) => path.startsWith("/github/repos/"))).toHaveLength(0);
        expect(paths).toHaveLength(new Set(paths).size);
      },
      { githubToken: "a-token" },
    );
  });

  it("gathers them at the same time when every source takes 200 ms, and at once when warm", async () => {
    await withFacts(
      async ({ facts }) => {
        fake.delayMs = 200;
        const began = performance.now();
        await facts.gather(references, { detail: "verdict" });
        const cold = performance.now() - began;
        await facts.gather(references, { detail: "verdict" });
        const warmBegan = performance.now();
        await facts.gather(references, { detail: "verdict" });
        const warm = performance.now() - warmBegan;
        // One after the other they would take more than ten seconds.
        expect(cold).toBeLessThan(4000);
        expect(warm).toBeLessThan(cold / 5);
      },
      { githubToken: "a-token" },
    );
  });

  it("makes one request of each kind for 20 calls at the same time", async () => {
    await withFacts(async ({ facts }) => {
      fake.delayMs = 20;
      const before = fake.requests.length;
      const reference = { ecosystem: "npm", name: "npm-0" } as const;
      const calls = Array.from({ length: 20 }, () => facts.gather([reference], { detail: "all" }));
      const results = await Promise.all(calls);
      const paths = fake.requests.slice(before).map(({ path }) => path);
      expect(paths.toSorted()).toEqual([
        "/depsdev/v3/systems/npm/packages/npm-0",
        "/ecosystems/api/v1/packages/bulk_lookup",
        "/github/repos/owner/npm-0",
        "/npm/npm-0",
        "/osv/v1/querybatch",
        "/osv/v1/vulns/GHSA-aaaa-bbbb-cccc",
      ]);
      expect(new Set(results.map(([known]) => known)).size).toBe(1);
    });
  });

  it("costs well under a millisecond of processor when warm", async () => {
    await withFacts(async ({ facts }) => {
      const reference = { ecosystem: "npm", name: "npm-0" } as const;
      for (let call = 0; call < 300; call++) await facts.gather([reference], { detail: "all" });
      const began = process.cpuUsage();
      for (let call = 0; call < 1000; call++) await facts.gather([reference], { detail: "all" });
      const { user, system } = process.cpuUsage(began);
      expect((user + system) / 1000 / 1000).toBeLessThan(0.5);
    });
  });

  it("gives each reference its own version", async () => {
    await withFacts(async ({ facts }) => {
      const npm = { ecosystem: "npm", name: "npm-1" } as const;
      const known = await facts.gather(
        [
          { ...npm, version: "1.0.0" },
          npm,
          { ...npm, select: ({ versions }) => versions.at(-1)?.version },
          { ...npm, select: () => undefined },
        ],
        { detail: "verdict" },
      );
      expect(known.map(({ version }) => version)).toEqual(["1.0.0", "1.1.0", "1.0.0", null]);
    });
  });

  it("stops waiting when the caller does", async () => {
    await withFacts(async ({ facts }) => {
      fake.delayMs = 300;
      const gone = new AbortController();
      const call = facts.gather([{ ecosystem: "npm", name: "npm-2" }], {
        detail: "verdict",
        signal: gone.signal,
      });
      gone.abort(new Error("hung up"));
      await expect(call).rejects.toThrow("hung up");
    });
  });
});

import { describe, expect, it } from "vitest";
import type { PackageInfo, PackageReference } from "../../../src/depshealth/facts.ts";
import { buildPackageSummarySentence } from "../../../src/depshealth/summary/sentence.ts";
import { findLowestFixedVersion } from "../../../src/depshealth/summary/lowest-fixed-version.ts";
import { decideMaintenanceVerdict } from "../../../src/depshealth/verdict/decide-verdict.ts";
import { defaultMaintenanceVerdictThresholds } from "../../../src/depshealth/verdict/thresholds.ts";
import { startFakeSources, type FakeSources } from "../../support/fake-sources/fake-sources.ts";
import { status } from "../../support/fake-sources/faults.ts";
import { openFacts, type FactsUnderTest } from "../../support/fake-sources/open-facts.ts";
import { serveNpm, servePypi } from "../../support/fake-sources/packages.ts";
import { serveOsv } from "../../support/fake-sources/sources.ts";

const npm = { ecosystem: "npm", name: "a" } as const;
const low = { id: "GHSA-low", severity: "LOW", fixed: "1.0.1" };
const withdrawn = { id: "GHSA-old", withdrawn: "2026-01-01T00:00:00Z" };
const [lowId, withdrawnId] = [low, withdrawn].map(({ id }) => ({ vulns: [{ id }] }));

/** Two versions of the npm package `a`, and records of advisories that OSV has. */
async function withSources(
  run: (facts: FactsUnderTest, fake: FakeSources) => Promise<void>,
): Promise<void> {
  const fake = await startFakeSources();
  const facts = openFacts(fake, { off: ["ecosystems", "depsdev"] });
  const versions = ["1.0.0", "1.0.1"].map((version) => ({ version, at: "2026-01-01T00:00:00Z" }));
  serveNpm(fake, { name: "a", versions });
  serveOsv(fake, { "npm/a@0.0.1": [low, withdrawn], "npm/a@1.0.0": [low] });
  try {
    await run(facts, fake);
  } finally {
    await facts.close();
    await fake.close();
  }
}

/** Lists `pages` of ids by their token, which is a page's index; a page that is undefined fails. */
function servePages(fake: FakeSources, pageAt: (index: number) => object | undefined): void {
  fake.serve("/osv/v1/querybatch", {
    answer: ({ body }, response) => {
      const { queries } = body as { queries: { page_token?: string }[] };
      const pages = queries.map((query) => pageAt(pageNumber(query.page_token)));
      const isWhole = pages.every((page) => page !== undefined);
      response.writeHead(isWhole ? 200 : 500).end(JSON.stringify({ results: pages }));
    },
  });
}

function pageNumber(token: string | undefined): number {
  return token === undefined ? 0 : Number(token) || 1;
}

async function assess(facts: FactsUnderTest, reference: PackageReference) {
  const info = await facts.one(reference);
  const now = facts.clock.now();
  const verdict = decideMaintenanceVerdict({
    info,
    support: undefined,
    curated: undefined,
    now,
    thresholds: defaultMaintenanceVerdictThresholds,
  });
  const sentence = buildPackageSummarySentence({ info, verdict, now }, "auditing");
  return { info, sentence, codes: verdict.reasons.map(({ code }) => code) };
}

function expectFailedSource({ evidence }: PackageInfo): void {
  expect(evidence.at(-1)).toMatchObject({ source: "osv", kind: "advisories", ok: false });
}

describe("a list of advisories that could not be read whole", () => {
  it.each<[what: string, pageAt: (index: number) => object | undefined]>([
    ["whose second page fails", (index) => (index === 0 ? { next_page_token: "1" } : undefined)],
    [
      "whose second page cannot be read",
      (index) => (index === 0 ? { next_page_token: "1" } : { vulns: null }),
    ],
    ["of pages without end", (index) => ({ next_page_token: String(index + 1) })],
    ["with a number as its page token", () => ({ next_page_token: 5 })],
    ["with an object as its page token", () => ({ vulns: [], next_page_token: { page: 1 } })],
    ["of withdrawn advisories, cut", () => ({ ...withdrawnId, next_page_token: 5 })],
  ])("%s leaves the advisories unknown when it has none", async (_what, pageAt) => {
    await withSources(async (facts, fake) => {
      servePages(fake, pageAt);
      const { info, sentence, codes } = await assess(facts, { ...npm, version: "1.0.0" });
      expect(info.advisories).toBeNull();
      expectFailedSource(info);
      expect(codes).toContain("source_failed");
      expect(sentence).toContain("report them as not known");
    });
  });

  it.each<[what: string, pageAt: (index: number) => object | undefined]>([
    [
      "whose second page fails",
      (index) => (index === 0 ? { ...lowId, next_page_token: "1" } : undefined),
    ],
    ["of pages without end", (index) => ({ ...lowId, next_page_token: String(index + 1) })],
    ["with a number as its page token", () => ({ ...lowId, next_page_token: 5 })],
  ])("%s keeps what it has, and is incomplete", async (_what, pageAt) => {
    await withSources(async (facts, fake) => {
      servePages(fake, pageAt);
      const { info, sentence, codes } = await assess(facts, { ...npm, version: "1.0.0" });
      expect(info.advisories).toMatchObject([{ id: "GHSA-low", severity: "low" }]);
      expectFailedSource(info);
      expect(codes).toEqual(["recent_release", "advisories_incomplete", "source_failed"]);
      expect(sentence).toContain("at least 1 advisory hits this version, and not all are known");
      // The version in which the others are fixed is not known.
      expect(findLowestFixedVersion(info)).toBeUndefined();
    });
  });

  it("is read on with a blank page token", async () => {
    await withSources(async (facts, fake) => {
      servePages(fake, (index) => (index === 0 ? { next_page_token: " " } : lowId));
      const { info, codes } = await assess(facts, { ...npm, version: "1.0.0" });
      expect(info.advisories).toMatchObject([{ id: "GHSA-low" }]);
      expect(codes).not.toContain("advisories_incomplete");
    });
  });

  it("is incomplete when the source fails and only the registry lists advisories", async () => {
    await withSources(async (facts, fake) => {
      servePypi(fake, {
        name: "snake",
        versions: [{ version: "1.0", at: "2026-01-01T00:00:00Z" }],
      });
      const listed = [{ id: "PYSEC-1", aliases: [], details: "one", fixed_in: ["1.1"] }];
      fake.serve("/pypi/pypi/snake/1.0/json", { json: { info: {}, vulnerabilities: listed } });
      fake.fail("/osv/v1/querybatch", status(500));
      const { info, codes } = await assess(facts, { ecosystem: "pypi", name: "snake" });
      expect(info.advisories).toMatchObject([{ id: "PYSEC-1" }]);
      expect(codes).toContain("advisories_incomplete");
    });
  });
});

describe("an advisory whose record could not be had", () => {
  const many = Array.from({ length: 2001 }, (_, index) => ({ package: { name: `p${index}` } }));

  it.each<[what: string, breakRecord: (fake: FakeSources) => void]>([
    ["is refused", (fake) => void fake.fail("/osv/v1/vulns/GHSA-low", status(500))],
    ["is missing", (fake) => void fake.fail("/osv/v1/vulns/GHSA-low", status(404))],
    [
      "is too large",
      (fake) => fake.serve("/osv/v1/vulns/GHSA-low", { json: { id: "GHSA-low", affected: many } }),
    ],
  ])(
    "because it %s counts with its id, and has an unknown severity",
    async (_what, breakRecord) => {
      await withSources(async (facts, fake) => {
        breakRecord(fake);
        const { info, sentence, codes } = await assess(facts, { ...npm, version: "1.0.0" });
        expect(info.advisories).toMatchObject([{ id: "GHSA-low", severity: "unknown" }]);
        expectFailedSource(info);
        expect(codes).toEqual(["recent_release", "advisories_incomplete", "source_failed"]);
        expect(sentence).toContain("not all are known");
      });
    },
  );
});

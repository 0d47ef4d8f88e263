import { describe, expect, it } from "vitest";
import { startFakeSources } from "../../support/fake-sources/fake-sources.ts";
import { status } from "../../support/fake-sources/faults.ts";
import { openFacts, type FactsUnderTest } from "../../support/fake-sources/open-facts.ts";
import {
  serveCargo,
  serveGoSite,
  serveNpm,
  servePypi,
  serveSuccessor,
} from "../../support/fake-sources/packages.ts";
import { serveOsv, type FakeAdvisory } from "../../support/fake-sources/sources.ts";
import type { FakeSources } from "../../support/fake-sources/fake-sources.ts";
import { maxAdvisoryIds } from "../../../src/depshealth/source/osv.ts";
import { decideMaintenanceVerdict } from "../../../src/depshealth/verdict/decide-verdict.ts";
import { defaultMaintenanceVerdictThresholds } from "../../../src/depshealth/verdict/thresholds.ts";
import { resolveRegistryAddresses } from "../../../src/depshealth/ecosystem/registry-addresses.ts";

/** Advisories of version 1.0.0 of the npm package `a`. */
async function withAdvisories(
  advisories: readonly FakeAdvisory[],
  run: (facts: FactsUnderTest, fake: FakeSources) => Promise<void>,
): Promise<void> {
  const fake = await startFakeSources();
  const facts = openFacts(fake, { off: ["ecosystems", "depsdev"] });
  serveNpm(fake, { name: "a", versions: [{ version: "1.0.0", at: "2026-01-01T00:00:00Z" }] });
  serveOsv(fake, { "npm/a@1.0.0": advisories });
  try {
    await run(facts, fake);
  } finally {
    await facts.close();
    await fake.close();
  }
}

const npm = { ecosystem: "npm", name: "a" } as const;

describe("advisories", () => {
  it.each([
    { error: "x" },
    { vulns: null },
    { vulns: { id: "GHSA-1" } },
    { vulns: [{ id: 5 }] },
    { vulns: ["GHSA-1"] },
  ])("are unknown when the source answers %j", async (result) => {
    await withAdvisories([], async (facts, fake) => {
      fake.serve("/osv/v1/querybatch", { json: { results: [result] } });
      const known = await facts.one(npm);
      expect(known.advisories).toBeNull();
      expect(known.evidence.at(-1)).toMatchObject({ source: "osv", ok: false });
    });
  });

  it("include those that can be read when the source lists others as well", async () => {
    await withAdvisories([{ id: "MAL-1" }], async (facts, fake) => {
      const vulns = [{ id: 5 }, { id: "MAL-1", modified: "2026-01-01T00:00:00Z" }];
      fake.serve("/osv/v1/querybatch", { json: { results: [{ vulns }] } });
      const known = await facts.one(npm);
      expect(known.advisories).toMatchObject([{ id: "MAL-1" }]);
      expect(known.evidence.at(-1)).toMatchObject({ source: "osv", ok: false });
    });
  });

  it("[verdict.advisories] are of the assessed version, the worst first, with what fixes them", async () => {
    const advisories = [
      { id: "GHSA-low", severity: "LOW", summary: "slow", fixed: "1.0.2" },
      { id: "GHSA-bad", severity: "CRITICAL", summary: "worse", fixed: "1.0.1" },
      { id: "GHSA-odd", details: "## Impact\nNobody said how bad it is." },
    ];
    await withAdvisories(advisories, async (facts) => {
      const known = await facts.one(npm);
      expect(known.advisories).toEqual([
        {
          id: "GHSA-bad",
          aliases: [],
          severity: "critical",
          summary: "worse",
          fixedIn: ["1.0.1"],
          affectedRanges: [{ introduced: "0", fixed: "1.0.1" }],
          url: "https://osv.dev/vulnerability/GHSA-bad",
          malicious: false,
        },
        expect.objectContaining({ id: "GHSA-low", severity: "low", fixedIn: ["1.0.2"] }),
        expect.objectContaining({
          id: "GHSA-odd",
          severity: "unknown",
          summary: "Nobody said how bad it is.",
          fixedIn: [],
        }),
      ]);
      expect(known.evidence.at(-1)).toMatchObject({ source: "osv", kind: "advisories", ok: true });
    });
  });

  it("count once however many databases name them", async () => {
    const advisories = [
      { id: "CVE-1", aliases: ["GHSA-1"], vector: "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H" },
      { id: "GHSA-1", aliases: ["CVE-1"], severity: "MODERATE", summary: "one flaw" },
      { id: "PYSEC-1", aliases: ["CVE-1", "X-9"], fixed: "1.1.0" },
      { id: "GHSA-2" },
    ];
    await withAdvisories(advisories, async (facts) => {
      const { advisories: found } = await facts.one(npm);
      expect(found?.map(({ id, aliases, severity }) => [id, aliases, severity])).toEqual([
        ["GHSA-1", ["CVE-1", "PYSEC-1", "X-9"], "critical"],
        ["GHSA-2", [], "unknown"],
      ]);
      expect(found?.[0]?.fixedIn).toEqual(["1.1.0"]);
    });
  });

  it("are not counted when they were withdrawn", async () => {
    const advisories = [{ id: "GHSA-1", withdrawn: "2026-01-01T00:00:00Z" }, { id: "GHSA-2" }];
    await withAdvisories(advisories, async (facts) => {
      expect((await facts.one(npm)).advisories?.map(({ id }) => id)).toEqual(["GHSA-2"]);
    });
  });

  it("[advisories.record-by-record] are told apart record by record: what is unmaintained is a notice, and offers what to use instead", async () => {
    const details =
      "The author is gone.\n\n## Possible Alternative(s)\n\n- [`fresh`](https://example.org)\n";
    const advisories = [
      { id: "GHSA-7", aliases: ["CVE-7", "RUSTSEC-2020-0036"], severity: "CRITICAL" },
      {
        id: "RUSTSEC-2020-0036",
        aliases: ["CVE-7", "GHSA-7"],
        informational: "unmaintained",
        summary: "a is unmaintained",
        details,
      },
      { id: "RUSTSEC-2021-0001", informational: "unsound" },
      { id: "RUSTSEC-2021-0002", informational: "notice" },
    ];
    await withAdvisories(advisories, async (facts, fake) => {
      serveSuccessor(fake, "npm", "fresh");
      const known = await facts.one(npm);
      expect(known.advisories?.map(({ id, aliases, severity }) => [id, aliases, severity])).toEqual(
        [
          ["GHSA-7", ["CVE-7", "RUSTSEC-2020-0036"], "critical"],
          ["RUSTSEC-2021-0001", [], "unknown"],
        ],
      );
      expect(known.notices).toEqual([
        {
          id: "RUSTSEC-2020-0036",
          kind: "unmaintained",
          summary: "a is unmaintained",
          url: "https://osv.dev/vulnerability/RUSTSEC-2020-0036",
        },
        expect.objectContaining({ id: "RUSTSEC-2021-0002", kind: "notice" }),
      ]);
      expect(known.replacements).toMatchObject([{ name: "fresh", source: "advisory" }]);
    });
  });

  it("count where a notice is graded as a flaw too", async () => {
    const vector = "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H";
    const both = { id: "RUSTSEC-1", aliases: ["CVE-1"], informational: "unmaintained", vector };
    await withAdvisories([both], async (facts) => {
      const known = await facts.one(npm);
      expect(known.advisories).toMatchObject([{ aliases: ["CVE-1"], severity: "critical" }]);
      expect(known.notices).toMatchObject([{ id: "RUSTSEC-1", kind: "unmaintained" }]);
    });
  });

  it("of harm on purpose hit the versions they name only", async () => {
    const advisories = [
      { id: "MAL-1", versions: ["1.0.0"], aliases: ["GHSA-m"] },
      { id: "MAL-2", versions: ["6.6.6"] },
    ];
    await withAdvisories(advisories, async (facts) => {
      const { advisories: found } = await facts.one(npm);
      expect(found).toMatchObject([{ id: "MAL-1", malicious: true, severity: "critical" }]);
    });
  });

  it("hit as malicious a version that a range or any entry of the package covers", async () => {
    const range = { type: "SEMVER", events: [{ introduced: "0" }] };
    const names = Array.from({ length: 2500 }, (_, index) => `6.6.${index}`);
    const advisories = [
      { id: "MAL-1", affected: [{ ranges: [range], versions: ["6.6.6"] }] },
      { id: "MAL-2", affected: [{ versions: ["6.6.6"] }, { ranges: [range] }] },
      { id: "MAL-3", affected: [{ versions: ["6.6.6"] }, {}] },
      { id: "MAL-4", versions: [...names, "1.0.0"] },
      {
        id: "MAL-5",
        affected: [{ package: { ecosystem: "npm", name: "z" }, versions: ["6.6.6"] }],
      },
      { id: "MAL-6", versions: names },
    ];
    await withAdvisories(advisories, async (facts) => {
      const { advisories: found } = await facts.one(npm);
      expect(found?.map(({ id }) => id)).toEqual(["MAL-1", "MAL-2", "MAL-3", "MAL-4", "MAL-5"]);
      expect(found?.every(({ malicious }) => malicious)).toBe(true);
    });
  });

  it("keep the malicious ones of a list that is too long, which is a failure of the source", async () => {
    const flaws = Array.from({ length: 400 }, (_, index) => ({ id: `GHSA-${index}` }));
    const advisories = [...flaws, { id: "MAL-1", versions: ["1.0.0"] }];
    await withAdvisories(advisories, async (facts) => {
      const known = await facts.one(npm);
      expect(known.advisories).toHaveLength(maxAdvisoryIds);
      expect(known.advisories?.[0]).toMatchObject({ id: "MAL-1", malicious: true });
      expect(known.evidence.filter(({ kind }) => kind === "advisories")).toEqual([
        expect.objectContaining({
          source: "osv",
          ok: false,
          error: "The source lists more advisories than are read.",
        }),
      ]);
    });
  });

  it("fail as a source when there are more pages of ids than are read", async () => {
    await withAdvisories([{ id: "GHSA-1" }], async (facts, fake) => {
      fake.serve("/osv/v1/querybatch", {
        json: { results: [{ vulns: [{ id: "GHSA-1" }], next_page_token: "more" }] },
      });
      const known = await facts.one(npm);
      expect(known.advisories).toHaveLength(1);
      expect(known.evidence.at(-1)).toMatchObject({ source: "osv", ok: false });
    });
  });

  it("count with their id alone when they cannot be read", async () => {
    await withAdvisories([{ id: "GHSA-dark", severity: "HIGH" }], async (facts, fake) => {
      fake.fail("/osv/v1/vulns/GHSA-dark", status(500));
      const known = await facts.one(npm);
      expect(known.advisories).toMatchObject([{ id: "GHSA-dark", severity: "unknown" }]);
      expect(known.evidence.filter(({ source }) => source === "osv").map(({ ok }) => ok)).toEqual([
        true,
        false,
      ]);
    });
  });

  it("are unknown, not none, when the source fails or leaves an answer out", async () => {
    await withAdvisories([], async (facts, fake) => {
      const repair = fake.fail("/osv/v1/querybatch", status(500));
      const failed = await facts.one(npm);
      repair();
      expect(failed.advisories).toBeNull();
      expect(failed.evidence.at(-1)).toMatchObject({ source: "osv", ok: false });
      fake.serve("/osv/v1/querybatch", { json: { results: [] } });
      expect((await facts.one(npm)).advisories).toBeNull();
      serveOsv(fake, {});
      expect((await facts.one(npm)).advisories).toEqual([]);
    });
  });

  it("come in pages", async () => {
    await withAdvisories([{ id: "GHSA-1" }, { id: "GHSA-2" }], async (facts, fake) => {
      fake.serve("/osv/v1/querybatch", {
        answer: ({ body }, response) => {
          const [query] = (body as { queries: { page_token?: string }[] }).queries;
          const first = { vulns: [{ id: "GHSA-1" }], next_page_token: "more" };
          const result = query?.page_token === "more" ? { vulns: [{ id: "GHSA-2" }] } : first;
          response.end(JSON.stringify({ results: [result] }));
        },
      });
      expect((await facts.one(npm)).advisories).toHaveLength(2);
    });
  });

  it("are asked again only when they were changed", async () => {
    const first = { id: "GHSA-1", severity: "LOW", modified: "2026-01-01T00:00:00Z" };
    await withAdvisories([first], async (facts, fake) => {
      expect((await facts.one(npm)).advisories?.[0]?.severity).toBe("low");
      facts.clock.set(facts.clock.now() + 25 * 60 * 60_000);
      await facts.one(npm);
      expect(fake.count("/osv/v1/vulns/")).toBe(1);
      serveOsv(fake, {
        "npm/a@1.0.0": [{ ...first, severity: "HIGH", modified: "2026-02-01T00:00:00Z" }],
      });
      facts.clock.set(facts.clock.now() + 25 * 60 * 60_000);
      expect((await facts.one(npm)).advisories?.[0]?.severity).toBe("high");
      expect(fake.count("/osv/v1/vulns/")).toBe(2);
    });
  });

  it("[advisories.taken-away] are asked for a version that the registry has taken away", async () => {
    await withAdvisories([], async (facts, fake) => {
      const taken = [{ id: "MAL-1", versions: ["3.3.6"] }];
      serveOsv(fake, { "npm/a@3.3.6": taken, "PyPI/snake@8.3.41": [{ id: "PYSEC-1" }] });
      const known = await facts.one({ ...npm, version: "3.3.6" });
      expect(known.versionFound).toBe(false);
      expect(known.advisories).toMatchObject([{ id: "MAL-1", malicious: true }]);
      servePypi(fake, {
        name: "snake",
        versions: [{ version: "9.0", at: "2026-01-01T00:00:00Z" }],
      });
      const snake = await facts.one({ ecosystem: "pypi", name: "snake", version: "8.3.41" });
      expect(snake.advisories).toMatchObject([{ id: "PYSEC-1" }]);
    });
  });

  it("are not asked where no version is assessed, nor for a name that no registry could have", async () => {
    await withAdvisories([], async (facts, fake) => {
      await facts.one({ ...npm, select: () => undefined });
      await facts.one({ ecosystem: "npm", name: "../x", version: "1.0.0" });
      expect(fake.count("/osv/")).toBe(0);
    });
  });

  it("are asked for an exact version although the registry fails", async () => {
    await withAdvisories([{ id: "GHSA-1" }], async (facts, fake) => {
      fake.fail("/npm/", status(500));
      const known = await facts.one({ ...npm, version: "1.0.0" });
      expect(known).toMatchObject({
        existence: "undetermined",
        versionFound: null,
        version: "1.0.0",
      });
      expect(known.advisories).toHaveLength(1);
    });
  });

  it("of Go modules are fixed in versions as Go spells them", async () => {
    await withAdvisories([], async (facts, fake) => {
      const name = "go.example/lib";
      serveGoSite(fake, { name, versions: [{ version: "v1.0.0", at: "2026-01-01T00:00:00Z" }] });
      serveOsv(fake, { [`Go/${name}@1.0.0`]: [{ id: "GO-1", fixed: "1.0.1" }] });
      const known = await facts.one({ ecosystem: "go", name });
      expect(known.advisories).toMatchObject([{ id: "GO-1", fixedIn: ["v1.0.1"] }]);
    });
  });

  it("of crates are filed under the name of their registry", async () => {
    await withAdvisories([], async (facts, fake) => {
      serveCargo(fake, {
        name: "crate",
        versions: [{ version: "1.0.0", at: "2026-01-01T00:00:00Z" }],
      });
      const { cargoName } = resolveRegistryAddresses({});
      serveOsv(fake, { [`${cargoName}/crate@1.0.0`]: [{ id: "RUSTSEC-1" }] });
      const known = await facts.one({ ecosystem: "cargo", name: "crate" });
      expect(known.advisories?.map(({ id }) => id)).toEqual(["RUSTSEC-1"]);
    });
  });
});

describe("the registry's own list of advisories", () => {
  const listed = [
    { id: "PYSEC-1", aliases: ["CVE-1"], details: "one", fixed_in: ["1.0.1"] },
    { id: "PYSEC-2", aliases: ["GHSA-2"], details: "two", fixed_in: ["1.1"] },
    { id: "PYSEC-3", aliases: [], withdrawn: "2026-01-01T00:00:00Z" },
  ];
  const pypi = { ecosystem: "pypi", name: "snake" } as const;

  async function withSnake(
    off: readonly string[],
    run: (facts: FactsUnderTest, fake: FakeSources) => Promise<void>,
  ): Promise<void> {
    const fake = await startFakeSources();
    const facts = openFacts(fake, { off: ["ecosystems", "depsdev", ...off] });
    servePypi(fake, { name: "snake", versions: [{ version: "1.0", at: "2026-01-01T00:00:00Z" }] });
    serveOsv(fake, { "PyPI/snake@1.0": [{ id: "GHSA-1", aliases: ["CVE-1"] }] });
    fake.serve("/pypi/pypi/snake/1.0/json", { json: { info: {}, vulnerabilities: listed } });
    try {
      await run(facts, fake);
    } finally {
      await facts.close();
      await fake.close();
    }
  }

  it("[advisories.second-witness] adds what the advisory source does not have, and says so", async () => {
    await withSnake([], async (facts) => {
      const known = await facts.one(pypi);
      expect(known.advisories?.map(({ id, fixedIn }) => [id, fixedIn])).toEqual([
        ["GHSA-1", []],
        ["PYSEC-2", ["1.1"]],
      ]);
      expect(known.evidence).toContainEqual(
        expect.objectContaining({ source: "pypi", kind: "advisories", ok: true }),
      );
      const { reasons } = decideMaintenanceVerdict({
        info: known,
        support: undefined,
        curated: undefined,
        now: facts.clock.now(),
        thresholds: defaultMaintenanceVerdictThresholds,
      });
      expect(reasons).toContainEqual({
        code: "advisory_by_registry",
        message: expect.stringContaining("has PYSEC-2 for this version"),
      });
    });
  });

  it("is asked for in an audit only where the advisory source was not heard", async () => {
    await withSnake([], async (facts, fake) => {
      await facts.one(pypi, "verdict");
      expect(fake.count("/pypi/pypi/snake/1.0/json")).toBe(0);
    });
    await withSnake(["osv"], async (facts) => {
      const { advisories } = await facts.one(pypi, "verdict");
      expect(advisories?.map(({ id }) => id)).toEqual(["PYSEC-1", "PYSEC-2"]);
    });
  });

  it("is no good news where it is empty and the advisory source has failed", async () => {
    await withSnake([], async (facts, fake) => {
      fake.serve("/pypi/pypi/snake/1.0/json", { json: { vulnerabilities: [] } });
      fake.fail("/osv/v1/querybatch", status(500));
      expect((await facts.one(pypi)).advisories).toBeNull();
    });
  });
});

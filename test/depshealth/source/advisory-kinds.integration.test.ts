import { describe, expect, it } from "vitest";
import { startFakeSources, type FakeSources } from "../../support/fake-sources/fake-sources.ts";
import { openFacts, today, type FactsUnderTest } from "../../support/fake-sources/open-facts.ts";
import { serveNpm, servePypi } from "../../support/fake-sources/packages.ts";
import { serveOsv, type FakeAdvisory } from "../../support/fake-sources/sources.ts";

const npm = { ecosystem: "npm", name: "a" } as const;

async function withSources(
  off: readonly string[],
  run: (facts: FactsUnderTest, fake: FakeSources) => Promise<void>,
): Promise<void> {
  const fake = await startFakeSources();
  const facts = openFacts(fake, { off: ["ecosystems", "depsdev", ...off] });
  try {
    await run(facts, fake);
  } finally {
    await facts.close();
    await fake.close();
  }
}

/** Advisories of version 1.0.0 of the npm package `a`. */
function withAdvisories(
  advisories: readonly FakeAdvisory[],
  run: (facts: FactsUnderTest) => Promise<void>,
): Promise<void> {
  return withSources([], (facts, fake) => {
    serveNpm(fake, { name: "a", versions: [{ version: "1.0.0", at: "2026-01-01T00:00:00Z" }] });
    serveOsv(fake, { "npm/a@1.0.0": advisories });
    return run(facts);
  });
}

describe("advisories", () => {
  it("count until the time from which they are withdrawn", async () => {
    const advisories = [{ id: "GHSA-1", withdrawn: "2026-11-20T00:00:01Z" }];
    await withAdvisories(advisories, async (facts) => {
      expect((await facts.one(npm)).advisories).toMatchObject([{ id: "GHSA-1" }]);
      facts.clock.set(today + 1000);
      expect((await facts.one(npm)).advisories).toEqual([]);
    });
  });

  it("[advisories.own-kind] go by the kind of a record: a word of severity makes no vulnerability of a notice", async () => {
    const unharmful = "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N";
    const advisories = [
      { id: "RUSTSEC-1", informational: "unmaintained", vector: "HIGH", severity: "HIGH" },
      { id: "RUSTSEC-2", informational: "notice", vector: unharmful },
      { id: "RUSTSEC-3", informational: "unsound", vector: "HIGH" },
    ];
    await withAdvisories(advisories, async (facts) => {
      const known = await facts.one(npm);
      expect(known.advisories?.map(({ id }) => id)).toEqual(["RUSTSEC-3"]);
      expect(known.notices.map(({ id }) => id)).toEqual(["RUSTSEC-1", "RUSTSEC-2"]);
    });
  });

  it.each(["unmaintained", "notice", "malicious"])(
    "[advisories.own-kind] report malware of which the record also says %s",
    async (informational) => {
      const advisories = [
        { id: "MAL-1", informational, severity: "LOW" },
        { id: "RUSTSEC-2", aliases: ["MAL-2"], informational },
      ];
      await withAdvisories(advisories, async (facts) => {
        const known = await facts.one(npm);
        const malware = { malicious: true, severity: "critical" };
        expect(known.advisories).toMatchObject([
          { id: "MAL-1", ...malware },
          { id: "RUSTSEC-2", ...malware },
        ]);
        expect(known.notices).toEqual([]);
      });
    },
  );

  it("count in the list of a registry until the time from which they are withdrawn", async () => {
    await withSources(["osv"], async (facts, fake) => {
      servePypi(fake, {
        name: "snake",
        versions: [{ version: "1.0", at: "2026-01-01T00:00:00Z" }],
      });
      const pypi = { ecosystem: "pypi", name: "snake" } as const;

      const later = { id: "PYSEC-4", aliases: [], withdrawn: "2026-11-20T00:00:01Z" };
      fake.serve("/pypi/pypi/snake/1.0/json", { json: { info: {}, vulnerabilities: [later] } });
      expect((await facts.one(pypi)).advisories).toMatchObject([{ id: "PYSEC-4" }]);
      facts.clock.set(today + 1000);
      expect((await facts.one(pypi)).advisories ?? []).toEqual([]);
    });
  });
});

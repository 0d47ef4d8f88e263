import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startFakeSources, type FakeSources } from "../../support/fake-sources/fake-sources.ts";
import { status } from "../../support/fake-sources/faults.ts";
import { openFacts, type FactsUnderTest } from "../../support/fake-sources/open-facts.ts";
import { serveNpm, servePypi } from "../../support/fake-sources/packages.ts";

let fake: FakeSources;
let facts: FactsUnderTest;

beforeEach(async () => {
  fake = await startFakeSources();
  facts = openFacts(fake, { off: ["ecosystems", "depsdev", "osv"] });
});

afterEach(async () => {
  await facts.close();
  await fake.close();
});

const hour = 3_600_000;
const released = { version: "1.0.0", at: "2026-01-01T00:00:00Z" };

function serveDeprecated(message: string): void {
  serveNpm(fake, { name: "old", versions: [{ ...released, deprecated: message }] });
}

async function replacements() {
  return (await facts.one({ ecosystem: "npm", name: "old" })).replacements;
}

describe("a replacement", () => {
  it("is a package that its registry has", async () => {
    serveNpm(fake, { name: "fresh", versions: [released] });
    serveDeprecated("use `fresh` instead");
    expect(await replacements()).toEqual([{ name: "fresh", source: "registry", version: "1.0.0" }]);
  });

  it("[verdict.replacement] is the registry's before the one that is written down with its source", async () => {
    const nose = async () => {
      const { replacements } = await facts.one({ ecosystem: "pypi", name: "nose" });
      return replacements.map(({ name, source }) => [name, source]);
    };
    servePypi(fake, { name: "nose", versions: [released] });
    expect(await nose()).toEqual([]);
    for (const name of ["nose2", "pytest"]) servePypi(fake, { name, versions: [released] });
    facts.clock.set(facts.clock.now() + hour);
    expect(await nose()).toEqual([["nose2", "curated"]]);
    const status = { status: "deprecated", reason: "use `pytest` instead" };
    servePypi(fake, { name: "nose", versions: [released], extra: { status } });
    facts.clock.set(facts.clock.now() + 30 * hour);
    expect(await nose()).toEqual([["pytest", "registry"]]);
  });

  it("[successors.exist] is none that its registry does not have", async () => {
    serveDeprecated("use `invented` instead");
    expect(await replacements()).toEqual([]);
    expect(fake.count("/npm/invented")).toBe(1);
  });

  it("is none that its registry holds", async () => {
    serveNpm(fake, { name: "held", versions: [{ ...released, version: "0.0.1-security" }] });
    serveDeprecated("use `held` instead");
    expect(await replacements()).toEqual([]);
  });

  it("is none while its registry cannot be asked for it", async () => {
    fake.fail("/npm/fresh", status(500));
    serveDeprecated("use `fresh` instead");
    expect(await replacements()).toEqual([]);
  });
});

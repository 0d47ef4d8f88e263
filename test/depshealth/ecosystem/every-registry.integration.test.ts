import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ecosystems, type Ecosystem } from "../../../src/depshealth/facts.ts";
import { startFakeSources, type FakeSources } from "../../support/fake-sources/fake-sources.ts";
import { status } from "../../support/fake-sources/faults.ts";
import { openFacts } from "../../support/fake-sources/open-facts.ts";
import { serveOsv } from "../../support/fake-sources/sources.ts";

let fake: FakeSources;
beforeAll(async () => {
  fake = await startFakeSources();
});
afterAll(() => fake.close());

const namesByEcosystem: Readonly<Record<Ecosystem, readonly string[]>> = {
  npm: ["one", "two"],
  pypi: ["one", "two"],
  cargo: ["one", "two"],
  rubygems: ["one", "two"],
  go: ["example.org/one", "example.org/two"],
  maven: ["org.example:one", "org.example:two"],
  nuget: ["one", "two"],
  packagist: ["example/one", "example/two"],
};

describe.each(ecosystems)("the %s registry", (ecosystem) => {
  it.each([404, 500])("keeps packages apart when it answers everything with %i", async (code) => {
    serveOsv(fake, {});
    const facts = openFacts(fake, { off: ["ecosystems", "depsdev"] });
    const repair = fake.fail(`/${ecosystem}/`, status(code));
    try {
      const names = namesByEcosystem[ecosystem];
      const found = await facts.facts.gather(
        names.map((name) => ({
          ecosystem,
          name,
          version: ecosystem === "go" ? "v1.0.0" : "1.0.0",
        })),
        { detail: "verdict" },
      );
      expect(found.map(({ name }) => name)).toEqual(names);
    } finally {
      repair();
      await facts.close();
    }
  });
});

it("A missing service index of NuGet is a failure of the registry", async () => {
  const facts = openFacts(fake, { off: ["ecosystems", "depsdev", "osv"] });
  try {
    const known = await facts.one({ ecosystem: "nuget", name: "one" });
    expect(known.existence).toBe("undetermined");
    expect(known.evidence).toMatchObject([
      {
        source: "nuget",
        kind: "metadata",
        ok: false,
        error: "The source has no index of its services.",
      },
    ]);
  } finally {
    await facts.close();
  }
});

import { describe, expect, it } from "vitest";
import { status } from "../../support/fake-sources/faults.ts";
import { serveRubygems } from "../../support/fake-sources/packages.ts";
import { hostileNames, useFakeSources } from "./fixture.ts";

const sources = useFakeSources();
const gem = {
  name: "some-gem",
  versions: [
    { version: "2.1.0", at: "2026-03-01T00:00:00.000Z", yanked: true as const },
    { version: "2.0.0", at: "2026-01-01T00:00:00.000Z" },
    { version: "2.0.0.beta1", at: "2025-01-01T00:00:00.000Z" },
  ],
  repository: "https://github.com/a/some-gem/tree/v2.0.0",
  maintainers: 4,
  dependents: 3,
};

describe("RubyGems", () => {
  it("tells versions, dates, owners, dependents and the repository", async () => {
    serveRubygems(sources.fake, gem);
    expect(await sources.facts.one({ ecosystem: "rubygems", name: "some-gem" })).toMatchObject({
      purl: "pkg:gem/some-gem",
      existence: "found",
      latestVersion: "2.0.0",
      latestReleasedAt: Date.UTC(2026, 0, 1),
      maintainersCount: 4,
      dependentsCount: 3,
      repository: { url: "https://github.com/a/some-gem" },
      versions: [
        { version: "2.0.0", stable: true },
        { version: "2.0.0.beta1", stable: false },
      ],
    });
  });

  it("does not find a yanked version, which the registry lists no more", async () => {
    serveRubygems(sources.fake, gem);
    const known = await sources.facts.one({
      ecosystem: "rubygems",
      name: "some-gem",
      version: "2.1.0",
    });
    expect(known).toMatchObject({ version: "2.1.0", versionFound: false });
  });

  it("takes upper and lower case for different gems", async () => {
    serveRubygems(sources.fake, { ...gem, name: "RedCloth" });
    expect((await sources.facts.one({ ecosystem: "rubygems", name: "RedCloth" })).existence).toBe(
      "found",
    );
    expect((await sources.facts.one({ ecosystem: "rubygems", name: "redcloth" })).existence).toBe(
      "not_found",
    );
  });

  it("gives each platform's version once", async () => {
    serveRubygems(sources.fake, { ...gem, name: "native" });
    sources.fake.serve("/rubygems/api/v1/versions/native.json", {
      json: ["ruby", "java"].map((platform) => ({
        number: "1.0.0",
        platform,
        created_at: "2026-01-01T00:00:00Z",
      })),
    });
    const known = await sources.facts.one({ ecosystem: "rubygems", name: "native" });
    expect(known.versions).toHaveLength(1);
  });

  it("reports a list with an entry that has no version as a failure", async () => {
    serveRubygems(sources.fake, { ...gem, name: "cut-gem" });
    sources.fake.serve("/rubygems/api/v1/versions/cut-gem.json", {
      json: [{ number: "2.0.0" }, { created_at: "2026-01-01T00:00:00Z" }],
    });
    const known = await sources.facts.one({ ecosystem: "rubygems", name: "cut-gem" });
    expect(known.evidence.some(({ ok }) => !ok)).toBe(true);
  });

  it("goes on with the gem's page alone", async () => {
    serveRubygems(sources.fake, { ...gem, name: "half-gem" });
    const repair = sources.fake.fail("/rubygems/api/v1/versions/half-gem", status(500));
    const known = await sources.facts.one({ ecosystem: "rubygems", name: "half-gem" });
    repair();
    expect(known).toMatchObject({ existence: "found", latestVersion: "2.0.0" });
    expect(known.evidence.some(({ ok }) => !ok)).toBe(true);
  });

  it.each(hostileNames)("asks for no path of the name %j", async (name) => {
    const before = sources.fake.requests.length;
    expect((await sources.facts.one({ ecosystem: "rubygems", name })).existence).toBe("not_found");
    expect(sources.fake.requests.length).toBe(before);
  });
});

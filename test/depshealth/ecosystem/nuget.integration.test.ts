import { describe, expect, it } from "vitest";
import { status } from "../../support/fake-sources/faults.ts";
import { serveNuget, serveSuccessor } from "../../support/fake-sources/packages.ts";
import { hostileNames, useFakeSources } from "./fixture.ts";

const sources = useFakeSources();
const versions = [
  { version: "2.1.0", at: "2026-03-01T00:00:00+00:00", yanked: true as const },
  {
    version: "2.0.0",
    at: "2026-01-01T00:00:00.5+00:00",
    deprecated: { reasons: ["Legacy"], alternatePackage: { id: "Fresh.Thing", range: "*" } },
  },
  { version: "1.0.0", at: "2020-01-01T00:00:00+00:00" },
];

describe("NuGet", () => {
  it("tells versions, marks, what is unlisted, owners and the repository", async () => {
    serveSuccessor(sources.fake, "nuget", "Fresh.Thing");
    serveNuget(sources.fake, {
      name: "Some.Thing",
      versions,
      repository: "https://github.com/a/some-thing",
      maintainers: 2,
    });
    const known = await sources.facts.one({ ecosystem: "nuget", name: "SOME.Thing" });
    expect(known).toMatchObject({
      name: "Some.Thing",
      existence: "found",
      latestVersion: "2.0.0",
      latestReleasedAt: Date.UTC(2026, 0, 1, 0, 0, 0, 500),
      latestYanked: false,
      maintainersCount: 2,
      repository: { owner: "a", name: "some-thing" },
      replacements: [{ name: "Fresh.Thing", source: "registry" }],
    });
    expect(known.versions[0]).toMatchObject({ releasedAt: null, withdrawal: { kind: "unlisted" } });
    expect(known.versions[1]?.deprecation).toEqual({
      message: "Legacy",
      alternative: "Fresh.Thing",
    });
    expect(sources.fake.count("/nuget/v3/registration/some.thing/index.json")).toBe(1);
    expect(sources.fake.count("/nuget/v3/plain/")).toBe(0);
  });

  it("takes spellings of a version for one", async () => {
    const known = await sources.facts.one({
      ecosystem: "nuget",
      name: "some.thing",
      version: "1.0",
    });
    expect([known.version, known.versionFound]).toEqual(["1.0.0", true]);
  });

  it("reads the pages of a package with many versions, and nothing if one is missing", async () => {
    serveNuget(sources.fake, { name: "Paged", versions: [] });
    const base = `${sources.fake.origin}/nuget/v3/registration/paged`;
    sources.fake.serve("/nuget/v3/registration/paged/index.json", {
      json: { items: ["a", "b"].map((page) => ({ "@id": `${base}/${page}.json`, count: 1 })) },
    });
    const page = (version: string) => ({
      json: {
        items: [
          {
            catalogEntry: { id: "Paged", version, listed: true, published: "2026-01-01T00:00:00Z" },
          },
        ],
      },
    });
    sources.fake.serve("/nuget/v3/registration/paged/a.json", page("1.0.0"));
    const partly = await sources.facts.one({ ecosystem: "nuget", name: "paged" });
    expect(partly.existence).toBe("undetermined");
    sources.fake.serve("/nuget/v3/registration/paged/b.json", page("2.0.0"));
    sources.facts.clock.set(sources.facts.clock.now() + 11 * 60_000);
    const known = await sources.facts.one({ ecosystem: "nuget", name: "paged" });
    expect(known.versions.map(({ version }) => version)).toEqual(["2.0.0", "1.0.0"]);
  });

  it("finds the repository in the manifest of the latest version", async () => {
    serveNuget(sources.fake, {
      name: "Manifested",
      versions: [{ version: "1.0.0", at: "2026-01-01T00:00:00Z" }],
    });
    sources.fake.serve("/nuget/v3/content/manifested/1.0.0/manifested.nuspec", {
      text: '<package><metadata><id>Manifested</id><repository type="git" url="https://github.com/m/n.git" /></metadata></package>',
    });
    const known = await sources.facts.one({ ecosystem: "nuget", name: "Manifested" });
    expect(known.repository).toMatchObject({ owner: "m", name: "n" });
  });

  it("resolves the relative address of a page against its document", async () => {
    serveNuget(sources.fake, { name: "Relative", versions: [] });
    const folder = "/nuget/v3/registration/relative";
    sources.fake.serve(`${folder}/index.json`, {
      json: { items: [{ "@id": "page/a.json", count: 1 }] },
    });
    const catalogEntry = { id: "Relative", version: "1.0.0", published: "2026-01-01T00:00:00Z" };
    sources.fake.serve(`${folder}/page/a.json`, { json: { count: 1, items: [{ catalogEntry }] } });
    const known = await sources.facts.one({ ecosystem: "nuget", name: "relative" });
    expect(known).toMatchObject({ existence: "found", latestVersion: "1.0.0" });
  });

  it.each([
    ["without an address", { count: 64 }],
    ["with an address of another kind", { "@id": "ftp://example.org/a.json", count: 64 }],
    [
      "with fewer versions than it counts",
      { count: 2, items: [{ catalogEntry: { version: "1.0.0" } }] },
    ],
    ["with an entry without a version", { items: [{ catalogEntry: "elsewhere" }] }],
  ])("does not take a page %s for a shorter list", async (what, page) => {
    const name = `cut-${what.length}`;
    serveNuget(sources.fake, { name, versions: [] });
    const whole = { items: [{ catalogEntry: { id: name, version: "0.1.0" } }] };
    sources.fake.serve(`/nuget/v3/registration/${name}/index.json`, {
      json: { items: [whole, page] },
    });
    const known = await sources.facts.one({ ecosystem: "nuget", name });
    expect(known.existence).toBe("undetermined");
    expect(known.evidence.some(({ ok }) => !ok)).toBe(true);
  });

  it("is not sent elsewhere by an address that policy refuses", async () => {
    serveNuget(sources.fake, { name: "Lured", versions: [] });
    sources.fake.serve("/nuget/v3/registration/lured/index.json", {
      json: { items: [{ "@id": "http://169.254.169.254/latest/meta-data", count: 1 }] },
    });
    const known = await sources.facts.one({ ecosystem: "nuget", name: "lured" });
    expect(known.existence).toBe("undetermined");
    expect(known.evidence).toContainEqual(
      expect.objectContaining({
        ok: false,
        error: "The source may not be dialled (the server's log says what would allow it).",
      }),
    );
  });

  it("waits as long as a refusal says in words", async () => {
    const repair = sources.fake.fail("/nuget/v3/registration/wordy", (response) =>
      response.writeHead(429).end("Rate limit is exceeded. Try again in 25 seconds."),
    );
    await sources.facts.one({ ecosystem: "nuget", name: "wordy" });
    repair();
    const before = sources.fake.requests.length;
    const known = await sources.facts.one({ ecosystem: "nuget", name: "other" });
    expect(known.evidence[0]?.error).toBe("The source asked us to wait.");
    expect(sources.fake.requests.length).toBe(before);
    sources.facts.clock.set(sources.facts.clock.now() + 25_001);
    expect((await sources.facts.one({ ecosystem: "nuget", name: "other" })).existence).toBe(
      "not_found",
    );
  });

  it("cannot tell anything when the service index fails", async () => {
    const repair = sources.fake.fail("/nuget/v3/registration/dark", status(500));
    expect((await sources.facts.one({ ecosystem: "nuget", name: "dark" })).existence).toBe(
      "undetermined",
    );
    repair();
  });

  it.each(hostileNames)("asks for no path of the name %j", async (name) => {
    const before = sources.fake.requests.length;
    expect((await sources.facts.one({ ecosystem: "nuget", name })).existence).toBe("not_found");
    expect(sources.fake.requests.length).toBe(before);
  });
});

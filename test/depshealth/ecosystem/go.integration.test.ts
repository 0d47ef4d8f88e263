import { describe, expect, it } from "vitest";
import { parseGoModWithdrawals } from "../../../src/depshealth/ecosystem/go-mod.ts";
import { status } from "../../support/fake-sources/faults.ts";
import { serveGoProxy, serveGoSite, serveSuccessor } from "../../support/fake-sources/packages.ts";
import { hostileNames, useFakeSources } from "./fixture.ts";

const sources = useFakeSources();
const versions = [
  { version: "v1.3.0", at: "2026-03-01T00:00:00Z", yanked: "published by accident" },
  { version: "v1.2.0", at: "2026-01-01T00:00:00Z" },
  { version: "v1.0.0-rc.1", at: "2020-01-01T00:00:00Z" },
];

describe("Go", () => {
  it("tells versions, retractions, importers and where a vanity path leads", async () => {
    serveGoSite(sources.fake, {
      name: "go.example/lib",
      versions,
      repository: "https://github.com/a/lib",
      dependents: 12,
    });
    const known = await sources.facts.one({ ecosystem: "go", name: "go.example/lib" });
    expect(known).toMatchObject({
      purl: "pkg:golang/go.example/lib",
      existence: "found",
      latestVersion: "v1.2.0",
      latestReleasedAt: Date.UTC(2026, 0, 1),
      latestYanked: true,
      dependentsCount: 12,
      maintainersCount: null,
      repository: { owner: "a", name: "lib" },
    });
    expect(known.versions[0]?.withdrawal).toEqual({
      kind: "retracted",
      reason: "published by accident",
    });
    expect(sources.fake.count("/go/go.example/lib/@")).toBe(0);
    const spelled = await sources.facts.one({
      ecosystem: "go",
      name: "go.example/lib",
      version: "1.2.0",
    });
    expect([spelled.version, spelled.versionFound]).toEqual(["v1.2.0", true]);
  });

  it("reads the module's deprecation, and what it names", async () => {
    const deprecated = 'Use the "go.example/new/lib" module instead.';
    serveGoSite(sources.fake, { name: "go.example/old", versions, extra: { deprecated } });
    serveSuccessor(sources.fake, "go", "go.example/new/lib");
    const known = await sources.facts.one({ ecosystem: "go", name: "go.example/old" });
    expect(known.status).toEqual({ kind: "deprecated", message: deprecated });
    expect(known.replacements).toMatchObject([{ name: "go.example/new/lib", source: "registry" }]);
  });

  it.each([
    ["v0.0.0-20200101000000-abcdef123456", null],
    ["v1.2.4-0.20200101000000-abcdef123456", null],
    ["v1.2.3-pre.0.20200101000000-abcdef123456", null],
    ["v2.0.0-20200101000000-abcdef123456+incompatible", null],
    ["v0.0.0-20200101-abcdef123456", false],
  ])("does not expect the pseudo-version %s in the list of versions", async (version, found) => {
    const name = "go.example/pseudo";
    serveGoSite(sources.fake, { name, versions });
    const known = await sources.facts.one({ ecosystem: "go", name, version });
    expect([known.version, known.versionFound]).toEqual([version, found]);
  });

  it("leaves out versions of other major versions, which are other modules", async () => {
    serveGoSite(sources.fake, { name: "go.example/major", versions });
    sources.fake.serve("/go/v1beta/versions/go.example/major", {
      json: {
        items: [
          { modulePath: "go.example/major/v2", version: "v2.0.0", deprecated: false },
          { modulePath: "go.example/major", version: "v1.0.0", deprecated: false },
        ],
      },
    });
    const known = await sources.facts.one({ ecosystem: "go", name: "go.example/major" });
    expect(known.versions.map(({ version }) => version)).toEqual(["v1.0.0"]);
  });

  it("reads all pages of the versions", async () => {
    serveGoSite(sources.fake, { name: "go.example/paged", versions });
    sources.fake.serve("/go/v1beta/versions/go.example/paged", {
      answer: ({ path }, response) => {
        const second = { items: [{ version: "v1.1.0", deprecated: false }] };
        const first = { items: [{ version: "v1.2.0", deprecated: false }], nextPageToken: "a b" };
        response.end(JSON.stringify(path.includes("token=a%20b") ? second : first));
      },
    });
    const known = await sources.facts.one({ ecosystem: "go", name: "go.example/paged" });
    expect(known.versions.map(({ version }) => version)).toEqual(["v1.2.0", "v1.1.0"]);
  });

  it("[health.ecosystems] asks the proxy where the site has nothing, upper case escaped", async () => {
    const goMod = `// Deprecated: use go.example/Other
// for everything.
module github.com/Some/Module

retract (
	v1.3.0 // by accident
	[v1.0.0, v1.1.0] // wrong
)
`;
    serveSuccessor(sources.fake, "go", "go.example/Other");
    serveGoProxy(sources.fake, { name: "github.com/!some/!module", versions }, goMod);
    const known = await sources.facts.one({ ecosystem: "go", name: "github.com/Some/Module" });
    expect(known).toMatchObject({
      existence: "found",
      latestVersion: "v1.2.0",
      latestYanked: true,
      status: { kind: "deprecated", message: "use go.example/Other for everything." },
      replacements: [{ name: "go.example/Other", source: "registry" }],
      repository: { url: "https://github.com/Some/Module" },
    });
    expect(known.versions[0]).toMatchObject({
      version: "v1.3.0",
      releasedAt: Date.UTC(2026, 2, 1),
      withdrawal: { kind: "retracted", reason: "by accident" },
    });
  });

  it("asks the proxy where the site fails, and tells the failure", async () => {
    serveGoProxy(sources.fake, { name: "go.example/flaky", versions }, "module go.example/flaky\n");
    const repair = sources.fake.fail("/go/v1beta/", status(500));
    const known = await sources.facts.one({ ecosystem: "go", name: "go.example/flaky" });
    repair();
    expect(known).toMatchObject({ existence: "found", latestVersion: "v1.3.0" });
    expect(known.evidence.map(({ kind, ok }) => [kind, ok])).toEqual([
      ["metadata", true],
      ["repository", false],
      ["dependents", false],
    ]);
  });

  it("knows a module of a proxy that has files alone, with the date of its newest version", async () => {
    const name = "go.example/files";
    const folder = `/go/${name}/@v`;
    const [newest] = versions;
    sources.fake.serve(`${folder}/list`, { text: "v1.2.0\nv1.3.0\n" });
    sources.fake.serve(`${folder}/v1.3.0.mod`, { text: `module ${name}\n` });
    sources.fake.serve(`${folder}/v1.3.0.info`, { json: { Version: "v1.3.0", Time: newest?.at } });
    const known = await sources.facts.one({ ecosystem: "go", name });
    expect(known).toMatchObject({
      existence: "found",
      latestVersion: "v1.3.0",
      latestReleasedAt: Date.UTC(2026, 2, 1),
      newestReleaseAt: Date.UTC(2026, 2, 1),
    });
  });

  it("does not know a module that neither has, and cannot tell when both fail", async () => {
    const missing = await sources.facts.one({ ecosystem: "go", name: "go.example/missing" });
    expect(missing.existence).toBe("not_found");
    const repair = sources.fake.fail("/go/", status(403));
    const unclear = await sources.facts.one({ ecosystem: "go", name: "go.example/unclear" });
    repair();
    expect(unclear.existence).toBe("undetermined");
  });

  it.each([...hostileNames, "fmt", "go.example//a", "go.example/a/../b", "go.example/.a"])(
    "asks for no path of the name %j",
    async (name) => {
      const before = sources.fake.requests.length;
      expect((await sources.facts.one({ ecosystem: "go", name })).existence).toBe("not_found");
      expect(sources.fake.requests.length).toBe(before);
    },
  );
});

describe("readGoMod()", () => {
  it.each([
    ["module a.b/c // Deprecated: gone", "gone"],
    ["// Package c.\n//\n// Deprecated: gone\n// for good.\nmodule a.b/c", "gone for good."],
    ["// Deprecated: of something else\n\nmodule a.b/c", undefined],
    ["module a.b/c\n\n// Deprecated: later", undefined],
    ["module a.b/c // not Deprecated: here", undefined],
  ])("reads the deprecation in go.mod %j as %j", (text, deprecation) => {
    expect(parseGoModWithdrawals(text).deprecation).toBe(deprecation);
  });

  it("reads single retractions and ranges", () => {
    const text = "module a.b/c\n// all of it\nretract [v1.0.0, v1.0.9]\nretract v1.1.0";
    expect(parseGoModWithdrawals(text).retractions).toEqual([
      { low: "v1.0.0", high: "v1.0.9", reason: "all of it" },
      { low: "v1.1.0", high: "v1.1.0", reason: null },
    ]);
  });
});

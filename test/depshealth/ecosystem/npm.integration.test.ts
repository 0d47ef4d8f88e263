import { describe, expect, it } from "vitest";
import { serveNpm, serveSuccessor } from "../../support/fake-sources/packages.ts";
import { htmlPage, truncatedJson } from "../../support/fake-sources/faults.ts";
import { hostileNames, useFakeSources } from "./fixture.ts";

const sources = useFakeSources();

describe("npm", () => {
  it("tells versions, dates, marks, maintainers and the repository", async () => {
    serveNpm(sources.fake, {
      name: "worn",
      versions: [
        { version: "2.0.0", at: "2026-01-02T03:04:05.000Z" },
        { version: "2.0.0-rc.1", at: "2025-12-01T00:00:00Z" },
        { version: "1.0.0", at: "2020-01-01T00:00:00Z", deprecated: "use `fresh` instead" },
      ],
      repository: {
        type: "git",
        url: "git+https://github.com/a/worn.git",
        directory: "packages/w",
      },
      maintainers: 3,
    });
    const known = await sources.facts.one({ ecosystem: "npm", name: "worn" });
    expect(known).toMatchObject({
      ecosystem: "npm",
      name: "worn",
      purl: "pkg:npm/worn",
      existence: "found",
      version: "2.0.0",
      versionFound: null,
      latestVersion: "2.0.0",
      latestReleasedAt: Date.UTC(2026, 0, 2, 3, 4, 5),
      latestYanked: false,
      maintainersCount: 3,
      dependentsCount: null,
      advisories: null,
      replacements: [],
    });
    expect(known.repository).toEqual({
      url: "https://github.com/a/worn",
      host: "github.com",
      owner: "a",
      name: "worn",
      directory: "packages/w",
      archived: null,
      lastPushAt: null,
    });
    expect(known.versions.map(({ version, stable }) => [version, stable])).toEqual([
      ["2.0.0", true],
      ["2.0.0-rc.1", false],
      ["1.0.0", true],
    ]);
    expect(known.evidence[0]).toMatchObject({ source: "npm", kind: "metadata", ok: true });
  });

  it("finds a repository in a group of groups by its short form", async () => {
    const versions = [{ version: "1.0.0", at: "2026-01-01T00:00:00Z" }];
    serveNpm(sources.fake, { name: "grouped", versions, repository: "gitlab:group/sub/project" });
    const known = await sources.facts.one({ ecosystem: "npm", name: "grouped" });
    expect(known.repository).toMatchObject({ owner: "group/sub", name: "project" });
  });

  it("is undetermined when the registry answers with the document of another package", async () => {
    const json = { name: "worn", versions: { "9.0.0": {} }, "dist-tags": { latest: "9.0.0" } };
    sources.fake.serve("/npm/swapped", { json });
    const known = await sources.facts.one({ ecosystem: "npm", name: "swapped" });
    expect(known).toMatchObject({ name: "swapped", existence: "undetermined", versions: [] });
    expect(known.evidence[0]).toMatchObject({ source: "npm", kind: "metadata", ok: false });
  });

  it("tells the mark of the assessed version, and what its words name", async () => {
    serveSuccessor(sources.fake, "npm", "fresh");
    const old = await sources.facts.one({ ecosystem: "npm", name: "worn", version: "1.0.0" });
    expect(old.versions.at(-1)?.deprecation).toEqual({ message: "use `fresh` instead" });
    expect(old.replacements).toMatchObject([{ name: "fresh", source: "registry" }]);
    expect(old.versionFound).toBe(true);
    const latest = await sources.facts.one({ ecosystem: "npm", name: "worn" });
    expect(latest.replacements).toEqual([]);
  });

  it("finds a version however it is spelled, and says when there is none", async () => {
    const spelled = await sources.facts.one({ ecosystem: "npm", name: "worn", version: "v1.0.0" });
    expect([spelled.version, spelled.versionFound]).toEqual(["1.0.0", true]);
    const none = await sources.facts.one({ ecosystem: "npm", name: "worn", version: "9.9.9" });
    expect([none.version, none.versionFound]).toEqual(["9.9.9", false]);
    expect(none.latestVersion).toBe("2.0.0");
    const version = "v0.0.0-20200101000000-abcdef123456";
    const likeGo = await sources.facts.one({ ecosystem: "npm", name: "worn", version });
    expect(likeGo.versionFound).toBe(false);
  });

  it.each([
    [true, { message: null }],
    [1, { message: null }],
    [{ by: "author" }, { message: null }],
    [null, undefined],
    ["", undefined],
    [false, undefined],
    ["   ", undefined],
  ])("reads the deprecation mark %j as %j", async (deprecated, mark) => {
    const name = `mark-${JSON.stringify(deprecated).replaceAll(/\W/g, "").length}-${typeof deprecated}`;
    serveNpm(sources.fake, { name, versions: [{ version: "1.0.0", deprecated }] });
    const known = await sources.facts.one({ ecosystem: "npm", name });
    expect(known.versions[0]?.deprecation).toEqual(mark);
  });

  it("[verdict.yanked] knows versions that were unpublished, and that the latest was", async () => {
    serveNpm(sources.fake, {
      name: "unpublished-latest",
      versions: [{ version: "1.0.0", at: "2026-01-01T00:00:00Z" }],
      extra: {
        time: { "1.0.0": "2026-01-01T00:00:00Z", "1.1.0": "2026-02-01T00:00:00Z" },
      },
    });
    const known = await sources.facts.one({ ecosystem: "npm", name: "unpublished-latest" });
    expect(known).toMatchObject({ latestVersion: "1.0.0", latestYanked: true });
    expect(known.versions[0]).toMatchObject({ version: "1.1.0", withdrawal: { kind: "removed" } });
    const gone = await sources.facts.one({
      ecosystem: "npm",
      name: "unpublished-latest",
      version: "1.1.0",
    });
    expect(gone.versionFound).toBe(false);
  });

  it("tells a holding package, and one that was unpublished whole", async () => {
    serveNpm(sources.fake, {
      name: "held",
      versions: [{ version: "0.0.1-security.2", at: "2024-01-01T00:00:00Z" }],
    });
    const held = await sources.facts.one({ ecosystem: "npm", name: "held" });
    expect(held.status).toEqual({ kind: "removed", message: null });
    sources.fake.serve("/npm/whole", {
      json: { name: "whole", time: { unpublished: { versions: ["1.0.0"] } } },
    });
    const whole = await sources.facts.one({ ecosystem: "npm", name: "whole" });
    expect(whole).toMatchObject({ existence: "removed", versions: [], latestVersion: null });
  });

  it("[health.ecosystems] escapes a scope as the registry wants it", async () => {
    serveNpm(sources.fake, { name: "@scope/thing", versions: [{ version: "1.0.0" }] });
    const known = await sources.facts.one({ ecosystem: "npm", name: "@scope/thing" });
    expect(known).toMatchObject({ name: "@scope/thing", purl: "pkg:npm/%40scope/thing" });
    expect(sources.fake.requests.at(-1)?.path).toBe("/npm/%40scope%2Fthing");
  });

  it("keeps upper case, which names other packages", async () => {
    serveNpm(sources.fake, { name: "JSONStream", versions: [{ version: "1.0.0" }] });
    expect(await sources.facts.one({ ecosystem: "npm", name: "JSONStream" })).toMatchObject({
      existence: "found",
    });
    expect(await sources.facts.one({ ecosystem: "npm", name: "jsonstream" })).toMatchObject({
      existence: "not_found",
    });
  });

  it("gives what is left where a proxy strips dates, maintainers and repository", async () => {
    sources.fake.serve("/npm/stripped", {
      json: { name: "stripped", "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": {} } },
    });
    expect(await sources.facts.one({ ecosystem: "npm", name: "stripped" })).toMatchObject({
      existence: "found",
      latestVersion: "1.0.0",
      latestReleasedAt: null,
      maintainersCount: null,
      repository: null,
    });
  });

  it.each([
    [{ error: "no such thing" }],
    [[]],
    ["fine"],
    [{ name: "shape", versions: ["1.0.0"] }],
    [{ name: "shape", versions: { "1.0.0": "yes" }, "dist-tags": { latest: "1.0.0" } }],
  ])("takes no fact from JSON of another shape: %j", async (json) => {
    sources.fake.serve("/npm/shape", { json });
    const known = await sources.facts.one({ ecosystem: "npm", name: "shape", version: "1.0.0" });
    sources.facts.clock.set(sources.facts.clock.now() + 60 * 60_000);
    expect(known).toMatchObject({ existence: "undetermined", versions: [], versionFound: null });
    expect(known.evidence).toMatchObject([{ source: "npm", ok: false }]);
  });

  it.each([...hostileNames, "a".repeat(215), "@a"])(
    "asks for no path of the name %j",
    async (name) => {
      const before = sources.fake.requests.length;
      const known = await sources.facts.one({ ecosystem: "npm", name });
      expect(known).toMatchObject({ existence: "not_found", purl: null, evidence: [] });
      expect(sources.fake.requests.length).toBe(before);
    },
  );

  it("asks for a name of 200 characters at its own path only", async () => {
    const name = "a".repeat(200);
    await sources.facts.one({ ecosystem: "npm", name });
    expect(sources.fake.requests.at(-1)?.path).toBe(`/npm/${name}`);
  });

  it.each([
    ["truncated", truncatedJson, "breaks off"],
    ["a page", htmlPage, "not JSON"],
  ])("takes no fact from a document that is %s", async (kind, fault, error) => {
    const name = `fault-${kind.replace(" ", "-")}`;
    const repair = sources.fake.fail(`/npm/${name}`, fault);
    const known = await sources.facts.one({ ecosystem: "npm", name });
    repair();
    expect(known).toMatchObject({ existence: "undetermined", versions: [], version: null });
    expect(known.evidence).toEqual([
      {
        source: "npm",
        kind: "metadata",
        ok: false,
        observedAt: expect.any(Number),
        error: expect.stringContaining(error),
      },
    ]);
    serveNpm(sources.fake, { name, versions: [{ version: "1.0.0" }] });
    expect((await sources.facts.one({ ecosystem: "npm", name })).existence).toBe("found");
  });

  it("reads the abbreviated document where the whole one is larger than is read", async () => {
    const readme = "x".repeat(1024 * 1024);
    sources.fake.serve("/npm/huge", {
      answer: ({ headers }, response) => {
        if (headers.accept?.includes("install-v1") === true) {
          response.end(
            JSON.stringify({
              name: "huge",
              "dist-tags": { latest: "1.0.0" },
              versions: { "1.0.0": { deprecated: "old" } },
            }),
          );
          return;
        }
        response.write('{"name": "huge", "readme": "');
        for (let megabyte = 0; megabyte < 34; megabyte++) response.write(readme);
        response.end('"}');
      },
    });
    const known = await sources.facts.one({ ecosystem: "npm", name: "huge" });
    expect(known.versions[0]).toMatchObject({ version: "1.0.0", deprecation: { message: "old" } });
    expect(known.evidence.map(({ ok }) => ok)).toEqual([true, false]);
  });
});

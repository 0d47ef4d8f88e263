import { describe, expect, it } from "vitest";
import { status } from "../../support/fake-sources/faults.ts";
import { servePackagist, serveSuccessor } from "../../support/fake-sources/packages.ts";
import { hostileNames, useFakeSources } from "./fixture.ts";

const sources = useFakeSources();
const versions = [
  { version: "v2.0.0", at: "2026-01-01T00:00:00+00:00" },
  { version: "v2.0.0-RC1", at: "2025-12-01T00:00:00+00:00" },
  { version: "1.0.0", at: "2020-01-01T00:00:00+00:00" },
];

describe("Packagist", () => {
  it("tells versions from the minified file, maintainers, dependents and the repository", async () => {
    servePackagist(sources.fake, {
      name: "vendor/thing",
      versions,
      repository: "https://github.com/vendor/thing.git",
      maintainers: 2,
      dependents: 99,
    });
    const known = await sources.facts.one({ ecosystem: "packagist", name: "Vendor/Thing" });
    expect(known).toMatchObject({
      name: "vendor/thing",
      purl: "pkg:composer/vendor/thing",
      existence: "found",
      latestVersion: "v2.0.0",
      latestReleasedAt: Date.UTC(2026, 0, 1),
      maintainersCount: 2,
      dependentsCount: 99,
      repository: { url: "https://github.com/vendor/thing" },
    });
    expect(known.versions.map(({ version, stable }) => [version, stable])).toEqual([
      ["v2.0.0", true],
      ["v2.0.0-RC1", false],
      ["1.0.0", true],
    ]);
    expect(known.status).toBeUndefined();
    const spelled = await sources.facts.one({
      ecosystem: "packagist",
      name: "vendor/thing",
      version: "2.0",
    });
    expect([spelled.version, spelled.versionFound]).toEqual(["v2.0.0", true]);
  });

  it.each([
    ["symfony/mailer", "symfony/mailer", [{ name: "symfony/mailer", source: "registry" }]],
    [true, null, []],
  ])("reads that it was abandoned: %j", async (abandoned, message, replacements) => {
    const name = `vendor/left-${typeof abandoned}`;
    serveSuccessor(sources.fake, "packagist", "symfony/mailer");
    servePackagist(sources.fake, { name, versions, extra: { abandoned } });
    const known = await sources.facts.one({ ecosystem: "packagist", name });
    expect(known.status).toEqual({ kind: "deprecated", message });
    expect(known.replacements).toMatchObject(replacements);
  });

  it("reads the mark in the file of versions alone", async () => {
    const name = "vendor/file-only";
    servePackagist(sources.fake, { name, versions, extra: { abandoned: "a/b" } });
    const repair = sources.fake.fail(`/packagist/packages/${name}`, status(500));
    const known = await sources.facts.one({ ecosystem: "packagist", name });
    repair();
    expect(known.status?.kind).toBe("deprecated");
    expect(known.maintainersCount).toBeNull();
    expect(known.evidence.map(({ ok }) => ok)).toEqual([true, false]);
  });

  it("takes what a version does not say from the one before", async () => {
    const name = "vendor/minified";
    servePackagist(sources.fake, { name, versions });
    const time = "2026-01-01T00:00:00+00:00";
    const diffs = [
      { version: "3.0.0", time },
      { version: "2.0.0" },
      { version: "1.0.0", time: "__unset" },
    ];
    sources.fake.serve(`/packagist/p2/${name}.json`, {
      json: { minified: "composer/2.0", packages: { [name]: diffs } },
    });
    const known = await sources.facts.one({ ecosystem: "packagist", name });
    expect(known.versions.map(({ releasedAt }) => releasedAt)).toEqual([
      Date.UTC(2026, 0, 1),
      Date.UTC(2026, 0, 1),
      null,
    ]);
  });

  it("does not know what is not there", async () => {
    const known = await sources.facts.one({ ecosystem: "packagist", name: "vendor/missing" });
    expect(known.existence).toBe("not_found");
  });

  it.each([
    ...hostileNames,
    "no-vendor",
    "a/b/c",
    "a/..",
    "../a",
    `${"a".repeat(150)}/${"!".repeat(49)}`,
  ])("asks for no path of the name %j", async (name) => {
    const before = sources.fake.requests.length;
    const known = await sources.facts.one({ ecosystem: "packagist", name });
    expect(known.existence).toBe("not_found");
    expect(sources.fake.requests.length).toBe(before);
  });
});

import { describe, expect, it } from "vitest";
import { status } from "../../support/fake-sources/faults.ts";
import { servePypi, serveSuccessor } from "../../support/fake-sources/packages.ts";
import { hostileNames, useFakeSources } from "./fixture.ts";

const sources = useFakeSources();
const releases = [
  { version: "2.0", at: "2026-01-01T00:00:00.000000Z" },
  { version: "2.0rc1", at: "2025-12-01T00:00:00Z" },
  { version: "1.0", at: "2020-01-01T00:00:00Z" },
];

describe("PyPI", () => {
  it("tells versions, dates, owners and the repository", async () => {
    servePypi(sources.fake, {
      name: "some-thing",
      versions: releases,
      repository: "https://github.com/a/some-thing/issues",
      maintainers: 2,
    });
    const known = await sources.facts.one({ ecosystem: "pypi", name: "Some_.Thing" });
    expect(known).toMatchObject({
      name: "some-thing",
      purl: "pkg:pypi/some-thing",
      existence: "found",
      latestVersion: "2.0",
      latestReleasedAt: Date.UTC(2026, 0, 1),
      maintainersCount: 2,
      repository: { url: "https://github.com/a/some-thing" },
    });
    expect(known.versions.map(({ version, stable }) => [version, stable])).toEqual([
      ["2.0", true],
      ["2.0rc1", false],
      ["1.0", true],
    ]);
    expect(known.evidence.map(({ source, ok }) => [source, ok])).toEqual([
      ["pypi", true],
      ["github", true],
    ]);
    const same = await sources.facts.one({
      ecosystem: "pypi",
      name: "some-thing",
      version: "1.0.0",
    });
    expect([same.version, same.versionFound]).toEqual(["1.0", true]);
  });

  it("[verdict.yanked] moves the latest back over a yanked release", async () => {
    servePypi(sources.fake, {
      name: "yanked",
      versions: [{ version: "3.0", at: "2026-02-01T00:00:00Z", yanked: "broken" }, ...releases],
    });
    const known = await sources.facts.one({ ecosystem: "pypi", name: "yanked" });
    expect(known).toMatchObject({ latestVersion: "2.0", latestYanked: true });
    expect(known.versions[0]?.withdrawal).toEqual({ kind: "yanked", reason: "broken" });
  });

  it("[verdict.yanked] reads a yanked release that only the simple index marks", async () => {
    servePypi(sources.fake, { name: "index-only", versions: releases });
    sources.fake.serve("/pypi/simple/index-only/", {
      json: {
        name: "index-only",
        files: [
          { filename: "index_only-2.0.0-py3-none-any.whl", yanked: "broken" },
          { filename: "index-only-1.0.tar.gz", yanked: false },
        ],
      },
    });
    const known = await sources.facts.one({ ecosystem: "pypi", name: "index-only" });
    expect(known).toMatchObject({ latestVersion: "1.0", latestYanked: true });
    expect(known.versions[0]?.withdrawal).toEqual({ kind: "yanked", reason: "broken" });
  });

  it("calls a version yanked only if all its files are", async () => {
    servePypi(sources.fake, { name: "half", versions: releases });
    const file = { upload_time: "2026-03-01T00:00:00" };
    sources.fake.serve("/pypi/pypi/half/json", {
      json: {
        info: { name: "half" },
        releases: {
          "3.0": [
            { ...file, yanked: true },
            { ...file, yanked: false },
          ],
        },
      },
    });
    expect(await sources.facts.one({ ecosystem: "pypi", name: "half" })).toMatchObject({
      latestVersion: "3.0",
      latestYanked: false,
      latestReleasedAt: Date.UTC(2026, 2, 1),
      maintainersCount: null,
    });
  });

  it("passes over a release without files, which pip cannot install", async () => {
    servePypi(sources.fake, { name: "emptied", versions: releases });
    sources.fake.serve("/pypi/pypi/emptied/json", {
      json: {
        info: { name: "emptied" },
        releases: {
          "4.0": [],
          "3.0": [],
          "2.0": [{ upload_time: "2026-01-01T00:00:00", yanked: false }],
        },
      },
    });
    sources.fake.serve("/pypi/simple/emptied/", {
      json: {
        name: "emptied",
        versions: ["2.0", "3.0", "4.0"],
        // The other document is older than the upload of 3.0, and has 2.0.
        files: [{ filename: "emptied-3.0.tar.gz", yanked: false }],
      },
    });
    const known = await sources.facts.one({ ecosystem: "pypi", name: "emptied" });
    expect(known).toMatchObject({ version: "3.0", latestVersion: "3.0" });
    expect(known.versions.map(({ version, withdrawal }) => [version, withdrawal?.kind])).toEqual([
      ["4.0", "removed"],
      ["3.0", undefined],
      ["2.0", undefined],
    ]);
    const asked = { ecosystem: "pypi", name: "emptied", version: "4.0" } as const;
    expect(await sources.facts.one(asked)).toMatchObject({ version: "4.0", versionFound: false });
  });

  it("reads from the simple index alone which releases have no files", async () => {
    sources.fake.serve("/pypi/simple/partly-emptied/", {
      json: {
        name: "partly-emptied",
        versions: ["1.0", "1.0.post1", "1.1"],
        files: [
          { filename: "partly-emptied-1.0.zip" },
          { filename: "partly-emptied-1.0-1.tar.gz" },
        ],
      },
    });
    const known = await sources.facts.one({ ecosystem: "pypi", name: "partly-emptied" });
    expect(known).toMatchObject({ latestVersion: "1.0.post1" });
    expect(known.versions.map(({ withdrawal }) => withdrawal?.kind)).toEqual([
      "removed",
      undefined,
      undefined,
    ]);
  });

  it.each([
    ["deprecated", "deprecated", "use `fresh-thing` instead"],
    ["archived", "archived", null],
    ["quarantined", "removed", null],
  ] as const)("reads the status %s", async (status, kind, reason) => {
    const name = `status-${status}`;
    serveSuccessor(sources.fake, "pypi", "fresh-thing");
    servePypi(sources.fake, { name, versions: releases, extra: { status: { status, reason } } });
    const known = await sources.facts.one({ ecosystem: "pypi", name });
    expect(known.status).toEqual({ kind, message: reason });
    expect(known.replacements).toMatchObject(
      kind === "deprecated" ? [{ name: "fresh-thing", source: "registry" }] : [],
    );
  });

  it("reads the classifier of an inactive project", async () => {
    const classifiers = ["Development Status :: 7 - Inactive"];
    servePypi(sources.fake, { name: "idle", versions: releases, extra: { info: { classifiers } } });
    expect((await sources.facts.one({ ecosystem: "pypi", name: "idle" })).status).toEqual({
      kind: "inactive",
      message: null,
    });
  });

  it("reads the simple index alone, with versions from file names", async () => {
    sources.fake.serve("/pypi/simple/only-simple/", {
      json: {
        name: "only-simple",
        files: [
          { filename: "only_simple-1.1-py3-none-any.whl", "upload-time": "2026-01-01T00:00:00Z" },
          {
            filename: "only-simple-1.2.tar.gz",
            "upload-time": "2026-02-01T00:00:00Z",
            yanked: "bad",
          },
        ],
      },
    });
    const repair = sources.fake.fail("/pypi/pypi/only-simple/", status(500));
    const known = await sources.facts.one({ ecosystem: "pypi", name: "only-simple" });
    repair();
    expect(known).toMatchObject({ latestVersion: "1.1", latestYanked: true, existence: "found" });
    expect(known.evidence.map(({ ok }) => ok)).toEqual([true, false]);
  });

  it("does not know a project that neither has, and cannot tell when one fails", async () => {
    const missing = await sources.facts.one({ ecosystem: "pypi", name: "missing" });
    expect(missing).toMatchObject({ existence: "not_found", latestYanked: null, version: null });
    const repair = sources.fake.fail("/pypi/simple/unclear/", status(503));
    const unclear = await sources.facts.one({ ecosystem: "pypi", name: "unclear" });
    repair();
    expect(unclear.existence).toBe("undetermined");
  });

  it.each(hostileNames)("asks for no path of the name %j", async (name) => {
    const before = sources.fake.requests.length;
    const known = await sources.facts.one({ ecosystem: "pypi", name });
    expect(known.existence).toBe("not_found");
    expect(sources.fake.requests.length).toBe(before);
  });
});

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serveNpm, servePypi } from "../../support/fake-sources/packages.ts";
import { serveOsv } from "../../support/fake-sources/sources.ts";
import { status } from "../../support/fake-sources/faults.ts";
import { daysAgo, startTools, type ToolsFixture } from "./tools-fixture.ts";

let tools: ToolsFixture;

beforeAll(async () => {
  tools = await startTools();
  const { fake } = tools;
  for (let index = 0; index < 40; index++) {
    serveNpm(fake, {
      name: `p${index}`,
      versions: [{ version: "1.0.0", at: daysAgo(10), license: "MIT" }],
    });
  }
  serveNpm(fake, {
    name: "old",
    versions: [{ version: "1.0.0", at: daysAgo(50), deprecated: "use `p1` instead" }],
  });
  serveNpm(fake, { name: "silent", versions: [{ version: "1.0.0", at: daysAgo(3000) }] });
  servePypi(fake, {
    name: "right",
    versions: [
      { version: "2.0", at: daysAgo(10) },
      { version: "1.5", at: daysAgo(200) },
    ],
  });
  serveOsv(fake, {
    "npm/p1@1.0.0": [
      { id: "GHSA-1", severity: "CRITICAL" },
      { id: "GHSA-2", severity: "LOW" },
      { id: "GHSA-3" },
    ],
  });
});

afterAll(() => tools.close());

function audit(body: Readonly<Record<string, unknown>>) {
  return tools.tool("deps_audit", body);
}

function manifest(groups: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(groups, undefined, 2);
}

const npm = (name: string, version?: string) => ({ ecosystem: "npm", name, version });

describe("deps_audit", () => {
  it("[rows.why] [verdict.audit-row] [tools.audit-fields] answers with every field of the contract", async () => {
    const text = manifest({
      dependencies: {
        p1: "^1.0.0",
        old: "1.0.0",
        gone: "1",
        elsewhere: "git+https://git.example/a/b.git",
      },
      devDependencies: { silent: "*" },
    });
    const { status, body } = await audit({
      manifest: text,
      packages: [{ ecosystem: "pypi", name: "Right" }],
    });
    expect(status).toBe(200);
    const none = { total: 0, critical: 0, high: 0, moderate: 0, low: 0, unknown: 0 };
    const row = {
      ecosystem: "npm",
      version: "1.0.0",
      latest_version: "1.0.0",
      last_push_age_days: null,
      advisories: none,
      replacement: null,
      reason: expect.objectContaining({ code: expect.any(String) }),
      advisory_details: [],
      fixed_version: null,
      wanted_version: "1.0.0",
      wanted_step: null,
      latest_step: null,
      dependency_group: "production",
      license: null,
      install_instead: null,
    };
    const advisory = (id: string, severity: string) => ({
      id,
      severity,
      aliases: [],
      fixed_in: [],
    });
    expect(body).toEqual({
      object: "deps_audit",
      packages: [
        {
          ...row,
          ecosystem: "pypi",
          name: "right",
          display_name: "right",
          requested: null,
          version: "2.0",
          verdict: "active",
          reasons: ["recent_release"],
          reason: { code: "recent_release", message: "The newest release is 10 days old." },
          latest_version: "2.0",
          latest_age_days: 10,
          wanted_version: "2.0",
          dependency_group: null,
        },
        {
          ...row,
          name: "p1",
          display_name: "p1",
          requested: "^1.0.0",
          verdict: "active",
          reasons: ["recent_release", "new_package"],
          latest_age_days: 10,
          license: "MIT",
          advisories: { total: 3, critical: 1, high: 0, moderate: 0, low: 1, unknown: 1 },
          advisory_details: [
            advisory("GHSA-1", "critical"),
            advisory("GHSA-2", "low"),
            advisory("GHSA-3", "unknown"),
          ],
        },
        {
          ...row,
          name: "old",
          display_name: "old",
          requested: "1.0.0",
          verdict: "deprecated",
          reasons: ["deprecated_package", "all_releases_withdrawn", "recent_release"],
          latest_age_days: 50,
          replacement: { name: "p1", source: "registry" },
          install_instead: { name: "p1", version: "1.0.0" },
        },
        {
          ...row,
          name: "gone",
          display_name: "gone",
          requested: "1",
          version: null,
          verdict: "unknown",
          reasons: ["not_found"],
          latest_version: null,
          latest_age_days: null,
          advisories: null,
          wanted_version: null,
        },
        {
          ...row,
          name: "silent",
          display_name: "silent",
          requested: "*",
          verdict: "stale",
          reasons: ["no_recent_release"],
          latest_age_days: 3000,
          dependency_group: "development",
        },
      ],
      unparsed: [
        { line: 6, text: '"elsewhere": "git+https://git.example/a/b.git"', reason: "git" },
      ],
      not_assessed: [],
      manifest_kind: "package.json",
      summary: {
        total: 5,
        deprecated: 1,
        archived: 0,
        stale: 1,
        active: 2,
        unknown: 1,
        with_advisories: 1,
        not_assessed: 0,
        unparsed: 1,
      },
      checked_at: expect.stringMatching(/Z$/),
    });
  });

  it("[rows.steps] says how far the newest versions are, and which one fixes all advisories", async () => {
    const versions = ["4.0.0", "3.2.0", "3.1.5", "3.1.4", "0.4.2", "0.3.9", "0.3.1"];
    serveNpm(tools.fake, {
      name: "stepped",
      versions: versions.map((version) => ({ version, at: daysAgo(10) })),
    });
    serveOsv(tools.fake, {
      "npm/stepped@3.1.4": [
        { id: "GHSA-8", severity: "HIGH", aliases: ["CVE-8"], fixed: "3.1.5" },
        { id: "GHSA-9", fixed: "3.2.0" },
      ],
    });
    const { body } = await audit({
      packages: ["3.1.4", "0.3.1", "4.0.0"].map((version) => npm("stepped", version)),
      manifest: manifest({ peerDependencies: { stepped: "~3.1" } }),
    });
    const steps = body.packages.map((row: Record<string, unknown>) => [
      row["version"],
      row["wanted_version"],
      row["wanted_step"],
      row["latest_step"],
      row["dependency_group"],
      row["fixed_version"],
      row["install_instead"],
    ]);
    const instead = { name: "stepped", version: "3.2.0" };
    expect(steps).toEqual([
      ["3.1.4", "3.2.0", "minor", "major", null, "3.2.0", instead],
      ["0.3.1", "0.3.9", "patch", "major", null, null, null],
      ["4.0.0", "4.0.0", null, null, null, null, null],
      ["3.1.5", "3.1.5", null, "major", "peer", null, null],
    ]);
    expect(body.packages[0].advisory_details).toEqual([
      { id: "GHSA-8", aliases: ["CVE-8"], severity: "high", fixed_in: ["3.1.5"] },
      { id: "GHSA-9", aliases: [], severity: "unknown", fixed_in: ["3.2.0"] },
    ]);
  });

  it("[tools.audit-order] [tools.audit-limit] assesses 25: the list first, then dependencies, optional, peer and development ones", async () => {
    const group = (from: number, count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, index) => [`p${from + index}`, "1.0.0"]),
      );
    const text = manifest({
      devDependencies: group(30, 5),
      peerDependencies: group(22, 5),
      optionalDependencies: group(17, 5),
      dependencies: group(5, 12),
    });
    const list = [npm("p4"), npm("p3")];
    const { body } = await audit({ packages: list, manifest: text });
    const names = body.packages.map(({ name }: { name: string }) => name);
    const numbered = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) => `p${from + index}`);
    expect(names).toEqual([
      "p4",
      "p3",
      ...numbered(5, 17),
      ...numbered(17, 22),
      ...numbered(22, 27),
      "p30",
    ]);
    expect(body.not_assessed).toEqual(
      numbered(31, 35).map((name) => ({
        ecosystem: "npm",
        name,
        requested: "1.0.0",
        reason: "limit",
      })),
    );
    expect(body.summary).toMatchObject({ total: 25, not_assessed: 4 });
  });

  it("[tools.limit-packages] [tools.audit-packages] takes a list of 25, and refuses one of 26", async () => {
    const list = Array.from({ length: 25 }, (_, index) => npm(`p${index}`));
    expect((await audit({ packages: list })).body.packages).toHaveLength(25);
    const more = await audit({ packages: [...list, npm("p30")] });
    expect(more).toMatchObject({
      status: 400,
      body: { error: "invalid_request", param: "packages" },
    });
  });

  it("[tools.audit-duplicates] makes one row of the same package and version", async () => {
    const { body } = await audit({
      packages: [
        npm("p1"),
        npm("p1", "1.0.0"),
        npm("p1"),
        { ecosystem: "pypi", name: "Right" },
        { ecosystem: "pypi", name: "right" },
      ],
      manifest: manifest({
        dependencies: { p1: "=1.0.0", p2: "^1" },
        devDependencies: { p1: "^1" },
      }),
    });
    const rows = body.packages.map((row: { name: string; requested: string }) => [
      row.name,
      row.requested,
    ]);
    expect(rows).toEqual([
      ["p1", null],
      ["right", null],
      ["p2", "^1"],
    ]);
    expect(body.summary.total).toBe(3);
  });

  it("[tools.audit-nothing] knows no version where none fits what was asked for, and calls nothing active then", async () => {
    const dependencies = { p1: "^9", p2: "no-such-tag" };
    const { body } = await audit({ manifest: manifest({ dependencies }) });
    const rows = body.packages.map((row: Record<string, unknown>) => [
      row["requested"],
      row["version"],
      row["verdict"],
      row["latest_version"],
    ]);
    expect(rows).toEqual([
      ["^9", null, "unknown", "1.0.0"],
      ["no-such-tag", null, "unknown", "1.0.0"],
    ]);
    const pip = await audit({ manifest: "right>=9\n" });
    expect(pip.body.packages).toMatchObject([{ version: null, verdict: "unknown" }]);
  });

  it("reads a requirements.txt, and chooses what pip would install", async () => {
    const text = "right>=1,<2  # pinned below\n-r base.txt\nright @ https://files.example/r.whl\n";
    const { body } = await audit({ manifest: text });
    expect(body).toMatchObject({
      manifest_kind: "requirements.txt",
      packages: [{ ecosystem: "pypi", name: "right", requested: ">=1,<2", version: "1.5" }],
      unparsed: [
        { line: 2, text: "-r base.txt", reason: "include: that file was not sent" },
        { line: 3, reason: "url" },
      ],
    });
  });

  it("reports other formats as unparsed, and their kind as unknown", async () => {
    const { status, body } = await audit({ manifest: "module example.com/x\n\ngo 1.26\n" });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      packages: [],
      manifest_kind: "unknown",
      unparsed: [{ line: 1, reason: "unsupported_format: it looks like a go.mod" }],
      summary: { total: 0, unparsed: 1 },
    });
  });

  it("[tools.kind-default] reads what it is told to read", async () => {
    const { body } = await audit({ manifest: "{}", manifest_kind: "requirements.txt" });
    expect(body).toMatchObject({ manifest_kind: "requirements.txt", unparsed: [{ line: 1 }] });
    const auto = await audit({ manifest: "{}", manifest_kind: "auto" });
    expect(auto.body).toMatchObject({ manifest_kind: "package.json", unparsed: [] });
  });

  it.each([
    ["nothing", {}, "packages"],
    ["an empty list", { packages: [] }, "packages"],
    ["an empty manifest", { manifest: "" }, "packages"],
    ["[tools.audit-kind] unknown kind", { manifest: "{}", manifest_kind: "go" }, "manifest_kind"],
    [
      "[tools.limit-manifest] a manifest that is too long",
      { manifest: "x".repeat(60_001) },
      "manifest",
    ],
    [
      "an unknown ecosystem",
      { packages: [npm("p1"), { ecosystem: "brew", name: "x" }] },
      "packages[1].ecosystem",
    ],
    ["[reference.ecosystem] no ecosystem", { packages: [{ name: "x" }] }, "packages[0].ecosystem"],
    ["no name", { packages: [{ ecosystem: "npm" }] }, "packages[0].name"],
    ["[tools.limit-name] a long name", { packages: [npm("x".repeat(201))] }, "packages[0].name"],
    [
      "[tools.limit-version] long version",
      { packages: [npm("x", "1".repeat(81))] },
      "packages[0].version",
    ],
    ["a further property", { packages: [{ ...npm("x"), kind: "dev" }] }, "packages[0].kind"],
    ["no list", { packages: { ecosystem: "npm" } }, "packages"],
    ["null", { manifest: null }, "manifest"],
  ])("refuses %s", async (_what, body, param) => {
    const answer = await audit(body);
    expect(answer).toMatchObject({ status: 400, body: { error: "invalid_request", param } });
  });

  it("takes a manifest of 60000 characters, in code points", async () => {
    const { status, body } = await audit({ manifest: `#${"\u{1f4a5}".repeat(59_000)}\nright` });
    expect([status, body.summary.total]).toEqual([200, 1]);
  });

  it("says why a package could not be assessed, and assesses the others", async () => {
    const restore = tools.fake.fail("/npm/p39", status(500));
    const { body } = await audit({ packages: [npm("p39"), npm("p38")] });
    restore();
    expect(body.packages[0]).toMatchObject({
      name: "p39",
      verdict: "unknown",
      error: expect.stringMatching(/^The source .+\.$/),
    });
    expect(body.packages[1]).toMatchObject({ name: "p38", verdict: "active" });
    expect(body.packages[1]).not.toHaveProperty("error");
  });
});

describe("25 packages whose sources take 100 ms", () => {
  it("cost one request per registry document and are asked for side by side, and none when warm", async () => {
    const { fake } = tools;
    const names = Array.from({ length: 25 }, (_, index) => `cold-${index}`);
    for (const name of names) {
      serveNpm(fake, { name, versions: [{ version: "1.0.0", at: daysAgo(10) }] });
    }
    const packages = names.map((name) => npm(name));
    fake.delayMs = 100;
    fake.mostAtOnce = 0;
    const before = fake.requests.length;
    const cold = await audit({ packages });
    fake.delayMs = 0;
    expect(cold.body.summary.active).toBe(25);
    const paths = fake.requests.slice(before).map(({ path }) => path);
    expect(paths.filter((path) => path.startsWith("/npm/"))).toHaveLength(25);
    expect(paths.filter((path) => path === "/osv/v1/querybatch")).toHaveLength(1);
    expect(fake.mostAtOnce).toBeGreaterThanOrEqual(5);
    const asked = fake.requests.length;
    expect((await audit({ packages })).body.summary.active).toBe(25);
    expect(fake.requests.length).toBe(asked);
  });
});

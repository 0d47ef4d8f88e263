import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  brokenOff,
  htmlPage,
  redirectLoop,
  status,
  tooMany,
  truncatedJson,
} from "../../support/fake-sources/faults.ts";
import { execute } from "../../support/test-database.ts";
import { serveNpm, servePypi } from "../../support/fake-sources/packages.ts";
import { serveEcosystems, serveGithub, serveOsv } from "../../support/fake-sources/sources.ts";
import { daysAgo, startTools, type ToolsFixture } from "./tools-fixture.ts";

let tools: ToolsFixture;

beforeAll(async () => {
  tools = await startTools();
  const { fake } = tools;
  serveNpm(fake, {
    name: "@acme/left",
    versions: [
      { version: "2.1.0", at: daysAgo(30) },
      { version: "2.0.0", at: daysAgo(100), deprecated: "2.0.0 loses data, use 2.1.0" },
      { version: "1.0.0", at: daysAgo(900), license: { type: "MIT" } },
    ],
    repository: "github:acme/left",
    maintainers: 3,
  });
  serveGithub(fake, { "acme/left": { pushedAt: daysAgo(2) } });
  serveEcosystems(fake, { "pkg:npm/%40acme/left": { dependent_packages_count: 1234 } });
  serveOsv(fake, {
    "npm/@acme/left@1.0.0": [
      {
        id: "GHSA-aaaa-bbbb-cccc",
        aliases: ["CVE-2026-0001"],
        summary: "Left loses data",
        severity: "HIGH",
        fixed: "1.0.1",
      },
    ],
  });
});

afterAll(() => tools.close());

function health(body: Readonly<Record<string, unknown>>) {
  return tools.tool("package_health", { ecosystem: "npm", name: "@acme/left", ...body });
}

const time = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);

describe("package_health", () => {
  it("[tools.health-fields] answers with every field of the contract", async () => {
    const { status, body } = await health({ version: "1.0.0" });
    expect(status).toBe(200);
    expect(body).toEqual({
      object: "package_health",
      ecosystem: "npm",
      name: "@acme/left",
      version: "1.0.0",
      verdict: "active",
      summary: expect.stringMatching(
        /^@acme\/left 1\.0\.0 is active: .*1 advisory hits this version/,
      ),
      reasons: [
        { code: "recent_release", message: expect.stringContaining("30 days") },
        { code: "recent_push", message: expect.stringContaining("2 days") },
      ],
      latest_version: "2.1.0",
      latest_released_at: time,
      latest_yanked: false,
      deprecation: { deprecated: false, message: null },
      repository: { url: "https://github.com/acme/left", archived: false, last_push_at: time },
      maintainers_count: 3,
      dependents_count: 1234,
      advisories: [
        {
          id: "GHSA-aaaa-bbbb-cccc",
          aliases: ["CVE-2026-0001"],
          severity: "high",
          summary: "Left loses data",
          fixed_in: ["1.0.1"],
          url: expect.stringMatching(/^https:/),
        },
      ],
      replacement: null,
      evidence: expect.arrayContaining([
        { source: "npm", kind: "metadata", ok: true, observed_at: time },
        { source: "osv", kind: "advisories", ok: true, observed_at: time },
        { source: "github", kind: "repository", ok: true, observed_at: time },
      ]),
      checked_at: time,
      fixed_version: "2.1.0",
      license: "MIT",
      install_instead: { name: "@acme/left", version: "2.1.0" },
      display_name: "@acme/left",
    });
  });

  it("[reference.version] assesses the latest version where none is named", async () => {
    const { body } = await health({});
    expect(body).toMatchObject({ version: "2.1.0", latest_version: "2.1.0", advisories: [] });
    expect((await health({ version: "" })).body).toMatchObject({ version: "2.1.0" });
  });

  it("[verdict.deprecation] gives the publisher's words on the very version", async () => {
    const { body } = await health({ version: "2.0.0" });
    expect(body).toMatchObject({
      verdict: "deprecated",
      reasons: [{ code: "deprecated_version" }, {}, {}],
      deprecation: { deprecated: true, message: "2.0.0 loses data, use 2.1.0" },
    });
  });

  it("[tools.unknown-version] is unknown for a version that the registry lacks, with the facts of the package", async () => {
    const { status, body } = await health({ version: "7.7.7" });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      verdict: "unknown",
      version: "7.7.7",
      deprecation: { deprecated: null, message: null },
      latest_version: "2.1.0",
      maintainers_count: 3,
      repository: { url: "https://github.com/acme/left" },
    });
    expect(body.reasons[0].code).toBe("version_not_found");
  });

  it("[tools.unknown-is-null] [tools.unknown-package] is unknown for a name that nobody knows", async () => {
    const { status, body } = await health({ name: "no-such-package" });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      verdict: "unknown",
      name: "no-such-package",
      version: null,
      latest_version: null,
      latest_released_at: null,
      latest_yanked: null,
      deprecation: { deprecated: null, message: null },
      repository: null,
      maintainers_count: null,
      dependents_count: null,
      advisories: null,
      replacement: null,
    });
    expect(body.reasons[0].code).toBe("not_found");
  });

  it.each([
    "../../etc/passwd",
    "a\r\nx: y",
    "@acme/../left",
    "%2e%2e/x",
    "\u{1f4a3}".repeat(200),
    " ",
  ])("is not_found for %j, and asks no other path for it", async (name) => {
    const before = tools.fake.requests.length;
    const { status, body } = await health({ name });
    expect([status, body.verdict, body.reasons[0].code]).toEqual([200, "unknown", "not_found"]);
    const paths = tools.fake.requests.slice(before).map(({ path }) => path);
    expect(paths.filter((path) => !/^\/(npm\/[^/]*$|ecosystems\/|depsdev\/)/.test(path))).toEqual(
      [],
    );
  });

  it("[reference.name] gives the canonical name of an alias", async () => {
    servePypi(tools.fake, { name: "left-pad", versions: [{ version: "1.0", at: daysAgo(20) }] });
    const { body } = await health({ ecosystem: "pypi", name: "Left_Pad" });
    expect(body).toMatchObject({ name: "left-pad", verdict: "active" });
  });

  it("[health.context] tunes the sentence to the goal, and nothing else", async () => {
    const contexts = ["Choosing a library", "Upgrading to 2.x", "Auditing for risks", "x"];
    const answers = await Promise.all(contexts.map((task_context) => health({ task_context })));
    const bodies = answers.map(({ body }) => body);
    expect(new Set(bodies.map(({ summary }) => summary)).size).toBe(4);
    for (const body of bodies) {
      expect(body).toEqual({ ...bodies[0], summary: body.summary, checked_at: body.checked_at });
    }
  });
});

describe("a source that fails", () => {
  it.each([
    ["429 with Retry-After", tooMany(1)],
    ["429 without", tooMany()],
    ["403", status(403)],
    ["500", status(500)],
    ["a page", htmlPage],
    ["half a document", truncatedJson],
    ["a connection that breaks", brokenOff],
    ["a loop of redirects", redirectLoop],
  ])(
    "[tools.unknown-is-null] never makes a package active: %s of the registry",
    async (_what, fault) => {
      const other = await startTools();
      serveNpm(other.fake, { name: "left", versions: [{ version: "1.0.0", at: daysAgo(3) }] });
      other.fake.fail("/npm/", fault);
      const { status: code, body } = await other.tool("package_health", {
        ecosystem: "npm",
        name: "left",
      });
      await other.close();
      expect([code, body.verdict]).toEqual([200, "unknown"]);
      expect(body.reasons.map((reason: { code: string }) => reason.code)).toEqual([
        "evidence_missing",
        "source_failed",
      ]);
      expect(body.evidence).toContainEqual({
        source: "npm",
        kind: "metadata",
        ok: false,
        observed_at: time,
        error: expect.stringMatching(/^The source .+\.$/),
      });
      expect(JSON.stringify(body)).not.toContain(other.fake.origin);
    },
  );

  it("serves from what it said before, after a restart as well, with the failure beside it", async () => {
    const first = await startTools();
    const { fake } = first;
    serveNpm(fake, { name: "left", versions: [{ version: "1.0.0", at: daysAgo(3) }] });
    const ask = (it: ToolsFixture) => it.tool("package_health", { ecosystem: "npm", name: "left" });
    const before = await ask(first);
    const { connectionString } = first.causeway;
    const second = await startTools({ fake, environment: { DATABASE_URL: connectionString } });
    fake.fail("/npm/", status(500));
    // Two days later, as far as the cache can tell.
    await execute(
      connectionString,
      "update dependency_cache set fresh_until = fresh_until - interval '2 days'",
    );
    const { body } = await ask(second);
    expect(body).toMatchObject({ verdict: "active", latest_version: "1.0.0" });
    const npm = body.evidence.filter(({ source }: { source: string }) => source === "npm");
    expect(npm).toMatchObject([
      { ok: true, observed_at: before.body.evidence[0].observed_at },
      { ok: false },
    ]);
    expect(npm[1]).not.toHaveProperty("refresh");
    await second.causeway.close();
    await first.close();
  });

  it("[sources.eol-comes-along] of end-of-life dates leaves those that come with the program", async () => {
    const other = await startTools();
    serveNpm(other.fake, {
      name: "protractor",
      versions: [
        { version: "7.0.0", at: daysAgo(20) },
        { version: "6.0.0", at: daysAgo(200) },
      ],
    });
    other.fake.fail("/endoflife/", status(500));
    const { body } = await other.tool("package_health", { ecosystem: "npm", name: "protractor" });
    await other.close();
    expect(body).toMatchObject({
      verdict: "deprecated",
      reasons: [{ code: "product_eol" }, {}, {}],
    });
  });

  it("of the repository's host or of advisories leaves what the registry says, and is told", async () => {
    const other = await startTools();
    serveNpm(other.fake, {
      name: "left",
      versions: [{ version: "1.0.0", at: daysAgo(33) }],
      repository: "github:acme/left",
    });
    other.fake.fail("/github/", status(403));
    other.fake.fail("/osv/", status(500));
    other.fake.fail("/endoflife/", status(500));
    const { body } = await other.tool("package_health", { ecosystem: "npm", name: "left" });
    await other.close();
    expect(body).toMatchObject({
      verdict: "active",
      repository: { url: "https://github.com/acme/left", archived: null, last_push_at: null },
      advisories: null,
      reasons: [{ code: "recent_release" }, { code: "source_failed" }],
    });
    const failed = body.evidence.filter(({ ok }: { ok: boolean }) => !ok);
    expect(failed.map(({ source }: { source: string }) => source).toSorted()).toEqual([
      "endoflife",
      "github",
      "osv",
    ]);
    expect(body.summary).toContain("the advisory source did not answer");
  });
});

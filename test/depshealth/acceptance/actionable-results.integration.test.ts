import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resolveRegistryAddresses } from "../../../src/depshealth/ecosystem/registry-addresses.ts";
import {
  serveCargo,
  serveGoProxy,
  serveMaven,
  serveNpm,
  servePypi,
  serveSuccessor,
} from "../../support/fake-sources/packages.ts";
import { status } from "../../support/fake-sources/faults.ts";
import { serveOsv } from "../../support/fake-sources/sources.ts";
import { daysAgo, startTools, type ToolsFixture } from "../service/tools-fixture.ts";
import { unmaintainedCrates } from "../source/unmaintained-crates.ts";

let tools: ToolsFixture;
const { cargoName } = resolveRegistryAddresses({});
const crates = (name: string, version: string) => `${cargoName}/${name}@${version}`;

/** Words in the notices on these crates that are crates too, and not their successors. */
const tempting = ["include", "deprecated", "name", "std", "utils"];
const noticed = unmaintainedCrates.filter(({ name }) =>
  ["tempdir", "rental", "chan", "zip_next", "atty", "cw0", "structopt", "iron"].includes(name),
);

beforeAll(async () => {
  tools = await startTools();
  const { fake } = tools;
  const young = [{ version: "1.0.0", at: daysAgo(20) }];
  for (const { name, successor } of noticed) {
    serveCargo(fake, { name, versions: young });
    if (successor !== null) serveSuccessor(fake, "cargo", successor);
  }
  for (const name of tempting) serveSuccessor(fake, "cargo", name);
  serveCargo(fake, { name: "failure", versions: [{ version: "0.1.8", at: daysAgo(2000) }] });
  serveNpm(fake, {
    name: "event-stream",
    versions: [{ version: "4.0.1", at: daysAgo(90) }],
    extra: { time: { "3.3.6": daysAgo(3000), "4.0.1": daysAgo(90) } },
  });
  serveNpm(fake, { name: "evil", versions: young });
  serveMaven(fake, {
    name: "org.example:log-core",
    versions: ["2.26.0", "2.17.1", "2.16.0", "2.15.0", "2.14.1"].map((version) => ({
      version,
      at: daysAgo(30),
    })),
  });
  serveNpm(fake, {
    name: "many-cores",
    versions: [
      { version: "3.40.0", at: daysAgo(20) },
      { version: "2.6.11", at: daysAgo(2500), deprecated: "no longer maintained, upgrade to 3" },
    ],
  });
  servePypi(fake, { name: "ultra", versions: [{ version: "8.4.0", at: daysAgo(20) }] });
  const critical = { severity: "CRITICAL" };
  serveOsv(fake, {
    [crates("failure", "0.1.8")]: [
      { id: "GHSA-jq66", aliases: ["CVE-2020-25575", "RUSTSEC-2019-0036"], ...critical },
      { id: "RUSTSEC-2019-0036", aliases: ["CVE-2020-25575"], informational: "unsound" },
      { id: "RUSTSEC-2020-0036", aliases: ["CVE-2020-25575"], informational: "unmaintained" },
    ],
    ...Object.fromEntries(
      noticed.map(({ id, name, title, text }) => [
        crates(name, "1.0.0"),
        [{ id, informational: "unmaintained", summary: title, details: text }],
      ]),
    ),
    "npm/event-stream@3.3.6": [{ id: "MAL-7", versions: ["3.3.6"] }],
    "PyPI/ultra@8.3.41": [{ id: "GHSA-ultra", ...critical }],
    "npm/evil@1.0.0": [{ id: "MAL-1", versions: ["1.0.0"] }],
    "Maven/org.example:log-core@2.14.1": [
      { id: "GHSA-jfh8", ...critical, fixed: "2.15.0" },
      { id: "GHSA-7rjr", ...critical, fixed: "2.16.0" },
      { id: "GHSA-8489", severity: "MODERATE", fixed: "2.17.1" },
    ],
  });
});

afterAll(() => tools.close());

async function health(ecosystem: string, name: string, version?: string, goal = "Upgrading") {
  const body = { ecosystem, name, version, task_context: goal };
  const answer = await tools.tool("package_health", body);
  expect(answer.status).toBe(200);
  return answer.body;
}

describe("advisories of an answer", () => {
  it("[advisories.record-by-record] stay when a notice of RustSec's names the same flaw", async () => {
    const { advisories, verdict, reasons } = await health("cargo", "failure", "0.1.8");
    expect(advisories).toMatchObject([{ severity: "critical" }]);
    const [{ id, aliases }] = advisories;
    expect([id, ...aliases]).toEqual(
      expect.arrayContaining(["GHSA-jq66", "CVE-2020-25575", "RUSTSEC-2019-0036"]),
    );
    expect([verdict, reasons[0].code]).toEqual(["deprecated", "rustsec_unmaintained"]);
  });

  it.each([
    ["npm", "event-stream", "3.3.6", "MAL-7"],
    ["pypi", "ultra", "8.3.41", "GHSA-ultra"],
  ])(
    "[advisories.taken-away] of %s %s are of %s, which its registry has taken away",
    async (...[of, name, version, id]) => {
      const body = await health(of, name, version);
      expect(body).toMatchObject({ verdict: "unknown", version, advisories: [{ id }] });
      expect(body.reasons[0].code).toBe("version_not_found");
    },
  );

  it("[advisories.malice] lead the sentence where they speak of malice", async () => {
    const body = await health("npm", "evil", "1.0.0");
    expect(body.summary).toMatch(/^evil 1\.0\.0 is malicious: MAL-1 /);
    expect(body.advisories).toMatchObject([{ id: "MAL-1", severity: "critical" }]);
    const packages = [{ ecosystem: "npm", name: "evil", version: "1.0.0" }];
    const { body: report } = await tools.tool("deps_audit", { packages });
    expect(report.packages[0]).toMatchObject({ advisories: { total: 1, critical: 1 } });
    expect(report.packages[0].reasons).toContain("malicious_version");
    const gone = await health("npm", "event-stream", "3.3.6");
    expect(gone.summary).toMatch(/^event-stream 3\.3\.6 is malicious: MAL-7 /);
  });
});

describe("the replacement of an answer", () => {
  it.each(noticed)("[successors.exist] is $successor for $name", async ({ name, successor }) => {
    const { replacement } = await health("cargo", name);
    expect(replacement?.name ?? null).toBe(successor);
  });

  it("[successors.other-version] is another version where the package itself is well", async () => {
    const body = await health("npm", "many-cores", "2.6.11", "Choosing a polyfill");
    expect(body).toMatchObject({
      replacement: null,
      reasons: [{ code: "deprecated_version" }, {}],
    });
    expect(body.install_instead).toEqual({ name: "many-cores", version: "3.40.0" });
    expect(body.summary).toMatch(/upgrade to 3\.40\.0\.$/);
    expect(body.summary).not.toContain("something else");
  });
});

describe("the sentence of an answer", () => {
  it("[sentence.of-the-version] is about the version that was asked for, and names the lowest that mends all", async () => {
    const { summary, fixed_version: fixed } = await health(
      "maven",
      "org.example:log-core",
      "2.14.1",
    );
    expect(summary).toContain("3 advisories hit this version, the worst critical");
    expect(summary).toMatch(/upgrade to 2\.17\.1\.$/);
    expect(fixed).toBe("2.17.1");
  });

  it("[sentence.who-was-missing] names who did not answer", async () => {
    const heal = tools.fake.fail("/osv/", status(500));
    serveSuccessor(tools.fake, "npm", "unheard");
    const { summary } = await health("npm", "unheard");
    heal();
    expect(summary).toContain("the advisory source did not answer");
  });
});

describe("what a registry answers", () => {
  it.each([
    ["an error as JSON", { error: "not today" }],
    ["a list", []],
    ["versions as a list", { name: "odd", versions: [] }],
    ["versions that are texts", { name: "odd", versions: { "1.0.0": "odd-1.0.0.tgz" } }],
  ])("[sources.other-shape] in another shape is no word: %s", async (_what, json) => {
    const name = `odd-${JSON.stringify(json).length}`;
    tools.fake.serve(`/npm/${name}`, { json });
    const body = await health("npm", name);
    expect(body).toMatchObject({
      verdict: "unknown",
      deprecation: { deprecated: null, message: null },
    });
    const npm = body.evidence.filter(({ source }: { source: string }) => source === "npm");
    expect(npm).toMatchObject([{ kind: "metadata", ok: false }]);
  });

  it("[sources.go-files] in files alone is enough for a Go module", async () => {
    const name = "go.example/files";
    const goMod = `// Deprecated: use go.example/other.\nmodule ${name}\n`;
    serveSuccessor(tools.fake, "go", "go.example/other");
    const versions = [{ version: "v1.3.0", at: daysAgo(40) }];
    serveGoProxy(tools.fake, { name, versions }, goMod);
    tools.fake.serve(`/go/${name}/@v/v1.3.0.info`, {
      json: { Version: "v1.3.0", Time: daysAgo(40) },
    });
    const heal = tools.fake.fail(`/go/${name}/@latest`, status(404));
    const body = await health("go", name);
    heal();
    expect(body).toMatchObject({
      verdict: "deprecated",
      latest_version: "v1.3.0",
      latest_released_at: expect.stringMatching(/^\d/),
      replacement: { name: "go.example/other" },
    });
  });

  it("[advisories.second-witness] as a mirror that strips marks is held against another witness, which is named", async () => {
    serveNpm(tools.fake, {
      name: "stripped",
      versions: [{ version: "1.0.0", at: daysAgo(3) }],
      maintainers: 0,
    });
    const reason = "use `unheard` instead";
    const at = daysAgo(1500);
    tools.fake.serve("/depsdev/v3/systems/npm/packages/stripped", {
      json: {
        versions: [
          {
            versionKey: { version: "1.0.0" },
            publishedAt: at,
            isDeprecated: true,
            deprecatedReason: reason,
            isDefault: true,
          },
        ],
      },
    });
    const body = await health("npm", "stripped");
    expect(body).toMatchObject({ verdict: "deprecated", maintainers_count: null });
    expect(body.reasons[0].message).toContain("as deps.dev tells");
    expect(body.latest_released_at).toBe(at);
  });
});

describe("a name as people write it", () => {
  it.each([
    ["npm", "lodash@4.17.21", "`lodash`"],
    ["npm", "Express", "`express`"],
    ["npm", "https://registry.example/package/@scope/a", "`@scope/a`"],
    ["pypi", "requests[socks]", "`requests`"],
    ["maven", "com.google.guava/guava", "`com.google.guava:guava`"],
    ["go", "github.com/a/b/pkg/c", "`github.com/a/b`"],
  ])("[names.meant] in %s, %s, is told its right spelling", async (ecosystem, name, spelling) => {
    const { verdict, reasons, summary } = await health(ecosystem, name);
    expect([verdict, reasons[0].code]).toEqual(["unknown", "not_found"]);
    expect(reasons[0].message).toContain(`write the name as ${spelling}`);
    expect(reasons[0].message + summary).not.toMatch(/invented|\.\./);
  });

  it("[names.meant] is read as what it means where the registry takes both spellings for one", async () => {
    const versions = [{ version: "1.0.0", at: daysAgo(40) }];
    serveCargo(tools.fake, { name: "two_words", versions });
    const heal = tools.fake.fail("/cargo/api/", status(503));
    expect(await health("cargo", "two-words")).toMatchObject({
      name: "two_words",
      latest_version: "1.0.0",
    });
    heal();
  });

  it("[names.meant] is shown as its project writes it", async () => {
    servePypi(tools.fake, {
      name: "pyyaml",
      versions: [{ version: "6.0", at: daysAgo(40) }],
      extra: { info: { name: "PyYAML" } },
    });
    const { name, display_name: shown, summary } = await health("pypi", "pyYAML");
    expect([name, shown]).toEqual(["pyyaml", "PyYAML"]);
    expect(summary).toMatch(/^PyYAML 6\.0 is active:/);
    const packages = [{ ecosystem: "pypi", name: "pyYAML" }];
    const { body } = await tools.tool("deps_audit", { packages });
    expect(body.packages[0]).toMatchObject({ name: "pyyaml", display_name: "PyYAML" });
  });

  it("[names.meant] of a Go package is told the module that it is in", async () => {
    serveSuccessor(tools.fake, "go", "go.example/x/net");
    const { reasons } = await health("go", "go.example/x/net/html/atom");
    expect(reasons[0]).toMatchObject({
      code: "not_found",
      message: expect.stringContaining("`go.example/x/net`"),
    });
    expect(reasons[0].message).not.toContain("invented");
  });

  it("of a Maven artifact has its latest release, and no snapshot of its early days", async () => {
    const versions = ["20030203.000129", "2.6", "2.5"];
    serveMaven(tools.fake, {
      name: "commons-lang:commons-lang",
      versions: versions.map((version) => ({ version, at: daysAgo(5000) })),
    });
    const body = await health("maven", "commons-lang:commons-lang");
    expect(body.latest_version).toBe("2.6");
  });
});

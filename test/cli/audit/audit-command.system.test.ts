import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import Ajv from "ajv-draft-04";
import addFormats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { resolveRegistryAddresses } from "../../../src/depshealth/ecosystem/registry-addresses.ts";
import { daysAgo, startTools, type ToolsFixture } from "../../depshealth/service/tools-fixture.ts";
import { runCauseway, type Outcome } from "../../support/causeway-process.ts";
import {
  serveCargo,
  serveGoSite,
  serveMaven,
  serveNpm,
  serveNuget,
  servePackagist,
  servePypi,
} from "../../support/fake-sources/packages.ts";
import { serveOsv } from "../../support/fake-sources/sources.ts";

vi.setConfig({ testTimeout: 120_000 });

let tools: ToolsFixture;

const fresh = [{ version: "1.0.0", at: daysAgo(10) }];
const manyNames = Array.from({ length: 60 }, (_, at) => `many-${at}`);

beforeAll(async () => {
  tools = await startTools();
  const { fake } = tools;
  for (const name of ["fine", "flawed", ...manyNames]) serveNpm(fake, { name, versions: fresh });
  serveNpm(fake, {
    name: "old",
    versions: [{ version: "1.0.0", at: daysAgo(10), deprecated: "use `fine` | instead \u001b[2J" }],
  });
  serveCargo(fake, { name: "sound", versions: fresh });
  servePypi(fake, { name: "right", versions: [{ version: "1.5", at: daysAgo(10) }] });
  serveCargo(fake, { name: "cracked", versions: fresh });
  serveGoSite(fake, {
    name: "go.example/cracked",
    versions: [{ version: "v1.0.0", at: daysAgo(9) }],
  });
  serveMaven(fake, { name: "a.b:cracked", versions: fresh });
  servePackagist(fake, { name: "a/cracked", versions: fresh });
  serveNuget(fake, { name: "Cracked", versions: fresh });
  const flaw = [{ id: "GHSA-1", severity: "HIGH", fixed: "1.0.1" }];
  serveOsv(fake, {
    "npm/flawed@1.0.0": flaw,
    [`${resolveRegistryAddresses({}).cargoName}/cracked@1.0.0`]: flaw,
    "Go/go.example/cracked@1.0.0": flaw,
    "Maven/a.b:cracked@1.0.0": flaw,
    "Packagist/a/cracked@1.0.0": flaw,
    "NuGet/Cracked@1.0.0": flaw,
  });
});

afterAll(() => tools.close());

function run(directory: string, ...words: string[]): Promise<Outcome> {
  const environment = { CAUSEWAY_TOOLS_URL: tools.causeway.toolsUrl };
  return runCauseway(["audit", ...words], { environment, directory });
}

async function project(files: Readonly<Record<string, unknown>>): Promise<string> {
  const folder = await mkdtemp(join(tools.causeway.dataDirectory, "project-"));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    const text = typeof content === "string" ? content : JSON.stringify(content, undefined, 1);
    await writeFile(join(folder, name), text);
  }
  return folder;
}

/** `fine` is asked for, and brings `old` and `flawed`. */
const lock = {
  lockfileVersion: 3,
  packages: {
    "": { dependencies: { fine: "^1.0.0" } },
    "node_modules/fine": { version: "1.0.0", dependencies: { old: "1", flawed: "1" } },
    "node_modules/flawed": { version: "1.0.0" },
    "node_modules/old": { version: "1.0.0" },
  },
};

const manifest = { dependencies: { fine: "^1.0.0" } };

describe("causeway audit of a folder", () => {
  it("[audit.ways] asks about what lock files pin, of every ecosystem, and tells the way to each", async () => {
    const folder = await project({
      "package.json": manifest,
      "package-lock.json": lock,
      "crate/Cargo.lock":
        'version = 4\n\n[[package]]\nname = "sound"\nversion = "1.0.0"\nsource = "sparse+' +
        resolveRegistryAddresses({}).cargoIndex +
        '"\n',
      "python/requirements.txt": "right>=1\n",
      "node_modules/fine/package.json": { dependencies: { nobody: "1" } },
    });
    const { code, stdout } = await run(folder, ".", "--json");
    expect(code).toBe(3);
    const report: unknown = JSON.parse(stdout);
    expect(report).toMatchObject({
      object: "deps_audit",
      files: [
        { path: "package-lock.json", kind: "package-lock.json", packages: 3, direct: 1 },
        { path: "package.json", packages: 0 },
        { path: "crate/Cargo.lock", packages: 1 },
        { path: "python/requirements.txt", packages: 1 },
      ],
      summary: { total: 5, direct: 2, deprecated: 1, with_advisories: 1, failing: 2 },
    });
    expect(report).toHaveProperty(
      "packages",
      expect.arrayContaining([
        expect.objectContaining({
          name: "old",
          relation: "transitive",
          places: [
            expect.objectContaining({
              file: "package-lock.json",
              paths: [["fine@1.0.0", "old@1.0.0"]],
              line: 19,
            }),
          ],
          findings: [expect.objectContaining({ rule: "deprecated", failing: true })],
        }),
        expect.objectContaining({ name: "right", requested: ">=1", version: "1.5" }),
      ]),
    );
  });

  it("assesses what a manifest asks for and its lock file lacks", async () => {
    const dependencies = { ...manifest.dependencies, "not-there": "1" };
    const folder = await project({ "package.json": { dependencies }, "package-lock.json": lock });
    const { stdout } = await run(folder, ".", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      files: [{ path: "package-lock.json" }, { path: "package.json", packages: 1 }],
      packages: expect.arrayContaining([expect.objectContaining({ name: "not-there" })]),
    });
  });

  it("refuses a folder without anything to audit", async () => {
    const { code, stderr } = await run(await project({ "README.md": "Nothing." }), ".");
    expect(code).toBe(2);
    expect(stderr).toContain("there is no file to audit in .");
  });
});

describe("causeway audit of many packages", () => {
  it("[audit.pages] asks page by page until all are assessed", async () => {
    const packages = manyNames.map((name) => [`node_modules/${name}`, { version: "1.0.0" }]);
    const folder = await project({
      "package-lock.json": { packages: Object.fromEntries(packages) },
    });
    const { code, stdout, stderr } = await run(folder, "package-lock.json");
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: "auditing 60 packages of package-lock.json …\n",
    });
    expect(stdout).toContain("60 packages without a finding are left out; --all lists them.");
    expect(stdout).toMatch(/\n60 total, .*60 active\n$/);
  });
});

describe("what fails", () => {
  it.each([
    [["--fail-on", "high"], 3],
    [["--fail-on", "moderate"], 3],
    [["--fail-on", "critical"], 0],
    [["--fail-on", "advisories"], 3],
    [["--fail-on", "deprecated"], 3],
    [["--fail-on", "archived,stale"], 0],
    [["--fail-on", "none"], 0],
  ])("[audit.fail-on] an audit with the options %j ends with %d", async (words, code) => {
    const folder = await project({ "package-lock.json": lock });
    expect((await run(folder, "package-lock.json", ...words)).code).toBe(code);
  });

  it("[audit.ways] is told first, with its way, its line and what to do", async () => {
    const folder = await project({ "package-lock.json": lock });
    const { stdout } = await run(folder, "package-lock.json");
    expect(stdout).toMatch(/^fails:\n/);
    expect(stdout).toContain(
      "  high GHSA-1  npm flawed 1.0.0\n    package-lock.json:16\n" +
        "    transitive, production: fine@1.0.0 > flawed@1.0.0\n" +
        "    GHSA-1 (severity high): fixed in 1.0.1\n",
    );
    expect(stdout).not.toContain("\u001b");
  });

  it("[audit.fails-by-itself] is a file that cannot be read, with its line", async () => {
    const folder = await project({ "Cargo.lock": "[[package]]\nname = \n" });
    const { code, stdout } = await run(folder, "Cargo.lock");
    expect(code).toBe(3);
    expect(stdout).toContain("Cargo.lock:2");
    expect(stdout).toContain("invalid_toml");
  });

  const flawedFiles = [
    ["Cargo.toml", '[dependencies]\ncracked = "1"\n'],
    [
      "Cargo.lock",
      '[[package]]\nname = "cracked"\nversion = "1.0.0"\nsource = "sparse+' +
        resolveRegistryAddresses({}).cargoIndex +
        '"\n',
    ],
    ["go.mod", "module a.example/b\n\nrequire go.example/cracked v1.0.0\n"],
    [
      "pom.xml",
      "<project><dependencies><dependency><groupId>a.b</groupId><artifactId>cracked</artifactId><version>1.0.0</version></dependency></dependencies></project>",
    ],
    ["composer.json", '{"require": {"php": ">=8", "a/cracked": "^1.0"}}'],
    [
      "App.csproj",
      '<Project><ItemGroup><PackageReference Include="Cracked" Version="1.0.0" /></ItemGroup></Project>',
    ],
  ] as const;

  it.each(flawedFiles)("[audit.formats] is found in a %s", async (file, text) => {
    const folder = await project({ [file]: text });
    const { code, stdout } = await run(folder, file, "--json");
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      packages: [{ advisories: { high: 1 }, findings: [{ failing: true }] }],
      summary: { total: 1, unparsed: 0, not_assessed: 0 },
    });
  });

  it("is not what nothing pins, but that is said", async () => {
    const folder = await project({ "Cargo.toml": '[dependencies]\nsound = "0.1"\n' });
    const { code, stdout } = await run(folder, "Cargo.toml", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      packages: [{ requested: "0.1", version: "1.0.0", pinned: false }],
      summary: { unpinned: 1 },
    });
  });
});

describe("a baseline", () => {
  const entry = { ecosystem: "npm", name: "old", finding: "deprecated", reason: "TRACK-1" };
  const advisory = { ecosystem: "npm", name: "flawed", finding: "GHSA-1", reason: "not reached" };
  const later = "2999-01-31";

  it.each([
    ["[audit.baseline] accepts what it names", [later, later], 0],
    ["[audit.baseline] does not when its day has passed", ["2020-01-31", later], 3],
  ])("%s", async (_what, [first, second], code) => {
    const accepted = [
      { ...entry, expires: first },
      { ...advisory, expires: second },
    ];
    const folder = await project({ "package-lock.json": lock, "b.json": { version: 1, accepted } });
    const outcome = await run(folder, "package-lock.json", "--baseline", "b.json");
    expect(outcome.code).toBe(code);
    expect(outcome.stdout).toContain(
      "high GHSA-1  npm flawed 1.0.0: not reached (until 2999-01-31)",
    );
    expect(outcome.stdout.includes("accepted once, and not any more")).toBe(code === 3);
  });

  it("[audit.baseline] says what nobody needs any more", async () => {
    const accepted = [{ ...entry, name: "gone", expires: later }];
    const folder = await project({ "package-lock.json": lock, "b.json": { version: 1, accepted } });
    const { stdout } = await run(folder, "package-lock.json", "--baseline", "b.json");
    expect(stdout).toContain("in the baseline, and not needed:\n  gone: deprecated");
  });

  it("[audit.baseline] is written with a reason, and read again", async () => {
    const folder = await project({
      "package-lock.json": lock,
      "package.json": { dependencies: { here: "file:here" } },
    });
    const files = ["package-lock.json", "package.json"];
    const written = await run(
      folder,
      ...files,
      "--write-baseline",
      "b.json",
      "--reason",
      "TRACK-2",
      "--expires",
      later,
    );
    expect(written.code).toBe(0);
    const { accepted } = JSON.parse(await readFile(join(folder, "b.json"), "utf8"));
    const common = { reason: "TRACK-2", expires: later };
    const old = { ecosystem: "npm", name: "old", version: "1.0.0" };
    const flawed = { ecosystem: "npm", name: "flawed", version: "1.0.0" };
    expect(accepted).toHaveLength(3);
    expect(accepted).toEqual(
      expect.arrayContaining([
        { ...old, finding: "deprecated", ...common },
        { ...flawed, finding: "GHSA-1", ...common },
        {
          file: "package.json",
          text: '"here": "file:here"',
          sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
          finding: "unparsed",
          ...common,
        },
      ]),
    );
    expect((await run(folder, ...files, "--baseline", "b.json")).code).toBe(0);
  });

  it.each([
    ["no JSON", "{", "b.json is no JSON"],
    [
      "[audit.baseline] an entry without a reason",
      { version: 1, accepted: [{ ...entry, reason: " ", expires: later }] },
      "b.json: accepted.0",
    ],
    ["an entry without a day", { version: 1, accepted: [entry] }, "b.json: accepted.0"],
  ])("that is %s is refused", async (_what, content, message) => {
    const folder = await project({ "package-lock.json": lock, "b.json": content });
    const { code, stderr } = await run(folder, "package-lock.json", "--baseline", "b.json");
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  it("is not written without a reason", async () => {
    const folder = await project({ "package-lock.json": lock });
    const { code, stderr } = await run(folder, "package-lock.json", "--write-baseline", "b.json");
    expect(code).toBe(2);
    expect(stderr).toContain("--write-baseline needs a --reason");
  });

  it.each([
    ["a folder that is missing", ["--write-baseline", "gone/b.json"], "gone is not a folder"],
    ["a day that is over", ["--write-baseline", "b.json", "--expires", "2020-01-01"], "is over"],
  ])("is not written for %s", async (_what, flags, message) => {
    const folder = await project({ "package-lock.json": lock });
    const { code, stderr } = await run(folder, "package-lock.json", ...flags, "--reason", "known");
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe("a report for machines", () => {
  it("[audit.reports] is SARIF by its own schema, with what was accepted as suppressed", async () => {
    const expires = "2999-01-31";
    const accepted = [
      { ecosystem: "npm", name: "old", finding: "deprecated", reason: "TRACK-1", expires },
    ];
    const folder = await project({ "package-lock.json": lock, "b.json": { version: 1, accepted } });
    const words = ["package-lock.json", "--sarif", "--baseline", "b.json"];
    const { code, stdout } = await run(folder, ...words);
    expect(code).toBe(3);
    const report: unknown = JSON.parse(stdout);
    expect(sarifFaults(report)).toEqual([]);
    expect(report).toMatchObject({
      version: "2.1.0",
      runs: [
        {
          results: expect.arrayContaining([
            expect.objectContaining({
              ruleId: "advisory-high",
              level: "error",
              locations: [
                {
                  physicalLocation: {
                    artifactLocation: { uri: "package-lock.json" },
                    region: { startLine: 16 },
                  },
                },
              ],
            }),
            expect.objectContaining({
              ruleId: "deprecated",
              suppressions: [{ kind: "external", justification: "TRACK-1 (until 2999-01-31)" }],
            }),
          ]),
        },
      ],
    });
  });

  it("is no SARIF when a member is wrong", () => {
    expect(sarifFaults({ version: "2.1.0", runs: [{ results: [] }] })).not.toEqual([]);
  });

  it("[audit.reports] is Markdown that text of others cannot leave", async () => {
    const folder = await project({ "package-lock.json": lock });
    const { stdout } = await run(folder, "package-lock.json", "--markdown");
    expect(stdout).toMatch(/^## Dependency audit: failed\n\n3 total, /);
    expect(stdout).toContain(
      "| high GHSA-1 | npm flawed 1.0.0 | transitive, production: fine@1.0.0",
    );
    const rows = stdout.split("\n").filter((line) => line.startsWith("| "));
    expect(rows.map((row) => row.split(/(?<!\\)\|/).length)).toEqual([7, 7, 7]);
  });

  it("[audit.reports] is one of them", async () => {
    const folder = await project({ "package-lock.json": lock });
    const { code } = await run(folder, "package-lock.json", "--sarif", "--json");
    expect(code).toBe(2);
  });
});

function sarifFaults(report: unknown): unknown[] {
  const ajv = new Ajv.default({ strict: false, allErrors: true, unicodeRegExp: false });
  addFormats.default(ajv);
  const schema: unknown = createRequire(import.meta.url)(
    "@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json",
  );
  const validate = ajv.compile(schema as object);
  return validate(report) ? [] : (validate.errors ?? []);
}

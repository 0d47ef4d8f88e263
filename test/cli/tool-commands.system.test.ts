import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { daysAgo, startTools, type ToolsFixture } from "../depshealth/service/tools-fixture.ts";
import { runCauseway, type Outcome } from "../support/causeway-process.ts";
import { closedPort } from "../support/closed-port.ts";
import { status } from "../support/fake-sources/faults.ts";
import { serveNpm } from "../support/fake-sources/packages.ts";
import { serveOsv } from "../support/fake-sources/sources.ts";

vi.setConfig({ testTimeout: 60_000 });

let tools: ToolsFixture;
let manifest: string;
const manyNames = Array.from({ length: 26 }, (_, index) => `many-${index}`);

beforeAll(async () => {
  tools = await startTools();
  const { fake } = tools;
  serveNpm(fake, { name: "fine", versions: [{ version: "1.0.0", at: daysAgo(10) }] });
  serveNpm(fake, { name: "flawed", versions: [{ version: "1.0.0", at: daysAgo(10) }] });
  serveNpm(fake, {
    name: "old",
    versions: [{ version: "1.0.0", at: daysAgo(10), deprecated: "use `fine` instead \u001b[2J" }],
  });
  serveNpm(fake, { name: "evil", versions: [{ version: "1.0.0", at: daysAgo(10) }] });
  for (const name of manyNames) {
    serveNpm(fake, { name, versions: [{ version: "1.0.0", at: daysAgo(10) }] });
  }
  serveNpm(fake, { name: "ungraded", versions: [{ version: "1.0.0", at: daysAgo(10) }] });
  serveNpm(fake, { name: "dark", versions: [{ version: "1.0.0", at: daysAgo(10) }] });
  serveOsv(fake, {
    "npm/ungraded@1.0.0": [{ id: "GO-1", fixed: "1.0.1" }],
    "npm/dark@1.0.0": [{ id: "GHSA-dark", severity: "CRITICAL" }],
    "npm/flawed@1.0.0": [{ id: "GHSA-1", severity: "HIGH", fixed: "1.0.1" }],
    "npm/evil@1.0.0": [{ id: "MAL-1", versions: ["1.0.0"] }],
  });
  fake.fail("/osv/v1/vulns/GHSA-dark", status(404));
  manifest = join(tools.causeway.dataDirectory, "package.json");
  const dependencies = { fine: "^1.0.0", old: "1.0.0", here: "file:../here" };
  await writeFile(manifest, JSON.stringify({ dependencies }, undefined, 2));
});

afterAll(() => tools.close());

function run(...words: string[]): Promise<Outcome> {
  const environment = { CAUSEWAY_TOOLS_URL: tools.causeway.toolsUrl };
  return runCauseway(words, { environment });
}

describe("causeway health", () => {
  it("[start.cli-tools] tells a person the verdict, why, and what took its place, and ends with 3", async () => {
    const { code, stdout, stderr } = await run("health", "npm", "old");
    expect({ code, stderr }).toEqual({ code: 3, stderr: "" });
    expect(stdout).toMatch(/^old 1\.0\.0 is deprecated: .*move to fine\.\n\nverdict +deprecated\n/);
    expect(stdout).toMatch(/replacement +fine\n/);
    expect(stdout).toContain("deprecated_package");
    // What others wrote must not steer the terminal.
    expect(stdout).not.toContain("\u001b");
  });

  it("tunes the sentence to what the caller is about", async () => {
    const { stdout } = await run("health", "npm", "old", "--context", "Choosing a library");
    expect(stdout).toContain("choose fine for new work");
  });

  it.each([
    [["health", "npm", "fine"], 0],
    [["health", "npm", "fine", "1.0.0"], 0],
    [["health", "npm", "flawed"], 0],
    [["health", "npm", "flawed", "--fail-on", "deprecated,advisories"], 3],
    [["health", "npm", "dark"], 3],
    [["health", "npm", "dark", "--fail-on", "critical,high"], 0],
    [["health", "npm", "evil"], 3],
    [["health", "npm", "evil", "--fail-on", "deprecated"], 0],
    [["health", "npm", "nobody-knows-it"], 3],
    [["health", "npm", "fine", "9.9.9"], 3],
    [["health", "npm", "nobody-knows-it", "--fail-on", "archived"], 0],
    [["health", "npm", "nobody-knows-it", "--fail-on", "unknown"], 3],
    [["health", "npm", "old", "--fail-on", "none"], 0],
  ])("the command %j ends with %d", async (words, code) => {
    expect((await run(...words)).code).toBe(code);
  });

  it("reports it and ends with 3 when no source of advisories could be asked", async () => {
    const { fake } = tools;
    serveNpm(fake, { name: "unasked", versions: [{ version: "1.0.0", at: daysAgo(10) }] });
    const heal = fake.fail("/osv/", status(500));
    const { code, stdout } = await run("health", "npm", "unasked");
    heal();
    expect(code).toBe(3);
    expect(stdout).toMatch(/\nadvisories +not known\n/);
  });

  it("prints the whole answer with --json", async () => {
    const { stdout } = await run("health", "npm", "flawed", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      object: "package_health",
      advisories: [{ id: "GHSA-1" }],
    });
  });
});

describe("causeway audit", () => {
  it("[start.cli-tools] prints a row per package, what it could not read and the numbers", async () => {
    const { code, stdout, stderr } = await run("audit", manifest);
    expect(code).toBe(3);
    expect(stderr).toBe(`auditing 2 packages of ${manifest} …\n`);
    expect(stdout).toMatch(/\nverdict +package +relation +asked +version/);
    expect(stdout).toMatch(/\nactive +npm fine +direct +\^1\.0\.0 +1\.0\.0/);
    expect(stdout).toMatch(/\ndeprecated +npm old .* fine\n/);
    expect(stdout).toContain('line 5  local  "here": "file:../here"');
    expect(stdout).toMatch(/\n2 total, 2 direct, 1 deprecated, 1 active, 1 unparsed, 2 failing\n$/);
  });

  it("says whose advisories could not be asked for", async () => {
    const { fake } = tools;
    serveNpm(fake, { name: "unheard", versions: [{ version: "1.0.0", at: daysAgo(10) }] });
    const heal = fake.fail("/osv/", status(500));
    const file = join(tools.causeway.dataDirectory, "unheard.json");
    await writeFile(file, JSON.stringify({ dependencies: { unheard: "^1.0.0", nobody: "1" } }));
    const { stdout } = await run("audit", file);
    heal();
    expect(stdout).toMatch(/\nadvisories are not known of: npm unheard \^1\.0\.0\n$/);
  });

  it("fails for an advisory whose record could not be had, and lists it", async () => {
    const file = join(tools.causeway.dataDirectory, "dark.json");
    await writeFile(file, JSON.stringify({ dependencies: { dark: "1.0.0" } }));
    const { code, stdout } = await run("audit", file);
    expect(code).toBe(3);
    expect(stdout).toMatch(/\n  not-assessed {2}npm dark 1\.0\.0\n/);
    expect(stdout).toMatch(/\n {4}Not all of its advisories could be read\.\n/);
    expect(stdout).toMatch(/\n {4}GHSA-dark \(severity unknown\): no fix is known\n/);
    expect(stdout).toMatch(/\nadvisories are not known of: npm dark 1\.0\.0\n$/);
  });

  it("fails for an advisory without a severity, and lists it", async () => {
    const file = join(tools.causeway.dataDirectory, "ungraded.json");
    await writeFile(file, JSON.stringify({ dependencies: { ungraded: "1.0.0" } }));
    const { code, stdout } = await run("audit", file);
    expect(code).toBe(3);
    expect(stdout).toMatch(/\n {4}GO-1 \(severity unknown\): fixed in 1\.0\.1\n/);
    expect((await run("audit", file, "--fail-on", "malicious,critical,low")).code).toBe(0);
  });

  it("[advisories.malice] fails for a malicious package, and shows it", async () => {
    const file = join(tools.causeway.dataDirectory, "evil.json");
    await writeFile(file, JSON.stringify({ dependencies: { evil: "1.0.0" } }));
    const { code, stdout } = await run("audit", file);
    expect({ code, stdout }).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(/\nmalicious: npm evil 1\.0\.0\n\n(?:.*\n)+active +npm evil /),
    });
  });

  const many = manyNames.map((name) => [name, "1"]);
  const one = { fine: "1.0.0" };
  it.each([
    ["what it can read whole", { dependencies: one }, 0],
    ["a package that does not exist", { dependencies: { ...one, "nobody-knows-it": "1" } }, 3],
    ["a version that does not exist", { dependencies: { fine: "9.9.9" } }, 3],
    ["a part that it cannot read", { dependencies: { ...one, here: "file:../here" } }, 3],
    ["more than one call assesses", { dependencies: Object.fromEntries(many) }, 0],
  ])("[audit.fails-by-itself] by itself ends right for %s", async (_what, content, code) => {
    const file = join(tools.causeway.dataDirectory, "some.json");
    await writeFile(file, JSON.stringify(content));
    expect((await run("audit", file)).code).toBe(code);
  });

  it("[audit.fails-by-itself] fails where nothing of the file could be read, and says what it looks like", async () => {
    const file = join(tools.causeway.dataDirectory, "some.gemspec");
    await writeFile(file, "Gem::Specification.new do |spec|\nend\n");
    const { code, stdout } = await run("audit", file);
    expect(code).toBe(3);
    expect(stdout).toContain("unsupported_format: it looks like a gemspec");
  });

  it("[audit.fails-by-itself] fails where the registry could not be asked", async () => {
    const { fake } = tools;
    const heal = fake.fail("/npm/unanswered", status(500));
    const file = join(tools.causeway.dataDirectory, "unanswered.json");
    await writeFile(file, JSON.stringify({ dependencies: { unanswered: "1.0.0" } }));
    const { code } = await run("audit", file);
    heal();
    expect(code).toBe(3);
  });

  it.each([
    [["--fail-on", "none"], 0],
    [["--fail-on", "stale"], 0],
    [["--fail-on", "unparsed"], 3],
    [["--kind", "requirements.txt", "--fail-on", "unparsed"], 3],
  ])("with the options %j ends with %d", async (words, code) => {
    expect((await run("audit", manifest, ...words)).code).toBe(code);
  });

  it("prints the whole answer with --json", async () => {
    const { stdout } = await run("audit", manifest, "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      object: "deps_audit",
      files: [{ kind: "package.json", packages: 2, direct: 2, unparsed: 1 }],
      summary: { total: 2, unparsed: 1 },
    });
  });
});

describe("causeway eol", () => {
  it("[start.cli-tools] prints the cycles of a product, and ends with 0 although old ones have ended", async () => {
    const { code, stdout } = await run("eol", "node");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Node\.js \(nodejs\)\n\ncycle +verdict +lts/);
    expect(stdout).toMatch(/\n20 +eol +yes +20\.9\.0 +2024-10-22 +2026-04-30 +-\d+\n/);
    expect(stdout).toMatch(/\nThe data is of \d{4}-\d\d-\d\d, less than a day old\.\n$/);
  });

  it("ends with 3 for a cycle that has ended", async () => {
    expect((await run("eol", "node", "20.1.0")).code).toBe(3);
    expect((await run("eol", "node", "20.1.0", "--fail-on", "none")).code).toBe(0);
    expect((await run("eol", "go", "1.26")).code).toBe(0);
  });

  it("suggests names", async () => {
    const { code, stderr } = await run("eol", "pyhton");
    expect(code).toBe(1);
    expect(stderr).toContain("Did you mean: python");
  });
});

describe("a command that cannot be carried out", () => {
  it.each([
    [["health", "brew", "x"], '"brew" is no ecosystem; it must be one of npm, pypi'],
    [["health", "npm"], "missing required argument 'name'"],
    [["health", "npm", "x", "--fail-on", "everything"], "It must be none, or some of deprecated"],
    [["audit", "/nowhere/package.json"], "ENOENT"],
    [["eol"], "missing required argument 'product'"],
  ])("ends with 2 and says why: %j", async (words, message) => {
    const { code, stdout, stderr } = await run(...words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(message);
  });

  it("ends with 1 when the server cannot be reached, and names the variable", async () => {
    const environment = { CAUSEWAY_TOOLS_URL: `http://127.0.0.1:${await closedPort()}` };
    const { code, stderr } = await runCauseway(["eol", "node"], { environment });
    expect(code).toBe(1);
    expect(stderr).toContain("CAUSEWAY_TOOLS_URL");
  });

  it("says its exit codes in its help", async () => {
    const { stdout } = await run("audit", "--help");
    expect(stdout).toContain("Exit codes: 0,");
    expect(stdout).toContain("--fail-on");
  });
});

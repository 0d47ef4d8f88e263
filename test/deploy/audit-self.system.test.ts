/** `npm run audit:self` on a small lock file, against sources on loopback. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { daysAgo, startTools, type ToolsFixture } from "../depshealth/service/tools-fixture.ts";
import { programPath, repository } from "../support/causeway-process.ts";
import { serveNpm } from "../support/fake-sources/packages.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let tools: ToolsFixture;
let folder: string;

const page = "# Supply\n\n<!-- audit:self -->\n<!-- /audit:self -->\n\nThe end.\n";
const lock = {
  name: "sample",
  version: "1.0.0",
  lockfileVersion: 3,
  packages: {
    "": { name: "sample", version: "1.0.0", dependencies: { fine: "1.0.0", old: "1.0.0" } },
    "node_modules/fine": { version: "1.0.0" },
    "node_modules/old": { version: "1.0.0" },
  },
};
const accepted = {
  ecosystem: "npm",
  name: "old",
  version: "1.0.0",
  finding: "deprecated",
  reason: "it | goes in spring",
  expires: "2999-12-31",
};

beforeAll(async () => {
  tools = await startTools();
  const fresh = [{ version: "1.0.0", at: daysAgo(10) }];
  for (const name of ["fine", "zod"]) serveNpm(tools.fake, { name, versions: fresh });
  serveNpm(tools.fake, {
    name: "old",
    versions: [{ version: "1.0.0", at: daysAgo(10), deprecated: "use fine" }],
  });
});

afterAll(() => tools.close());

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "causeway-audit-self-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "package-lock.json"), JSON.stringify(lock));
  await writeFile(join(folder, "page.md"), page);
});

async function auditSelf(
  baseline: readonly object[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  await writeFile(
    join(folder, "baseline.json"),
    JSON.stringify({ version: 1, accepted: baseline }),
  );
  const words = Object.entries({
    file: "package-lock.json",
    baseline: "baseline.json",
    page: "page.md",
  });
  const script = join(repository, "scripts/audit-self.ts");
  const { CI: _, ...others } = process.env;
  const CAUSEWAY_TOOLS_URL = tools.causeway.toolsUrl;
  const env = { ...others, PATH: programPath, CAUSEWAY_TOOLS_URL, ...environment };
  const parameters = words.flatMap(([name, file]) => [`--${name}`, join(folder, file)]);
  return promisify(execFile)(process.execPath, [script, ...parameters], { env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (failed: { code: number; stdout: string; stderr: string }) => failed,
  );
}

const written = () => readFile(join(folder, "page.md"), "utf8");

it("fails on what the baseline does not accept", async () => {
  const outcome = await auditSelf([]);
  expect(outcome).toMatchObject({ code: 1 });
  expect(outcome.stderr).toContain("old 1.0.0: deprecated");
  expect(outcome.stdout).toContain("2 packages: 1 findings beyond");
});

it("writes what stays, with the reason, between its marks", async () => {
  expect(await auditSelf([accepted])).toMatchObject({ code: 0 });
  const text = await written();
  expect(text).toMatch(/\| old 1\.0\.0 +\| direct +\| deprecated +\|/);
  expect(text).toContain(String.raw`it \| goes in spring (until 2999-12-31)`);
  expect(text).toMatch(
    /^# Supply\n\n<!-- audit:self -->\n\nOn \d{4}-\d\d-\d\d: 2 packages, 1 find/,
  );
  expect(text).toMatch(/\n<!-- \/audit:self -->\n\nThe end\.\n$/);
});

it("counts a reason that has expired for none", async () => {
  const outcome = await auditSelf([{ ...accepted, expires: "2020-01-01" }]);
  expect(outcome).toMatchObject({ code: 1 });
});

it("writes nothing in continuous integration", async () => {
  expect(await auditSelf([accepted], { CI: "true" })).toMatchObject({ code: 0 });
  expect(await written()).toBe(page);
});

/** Sources of its own, because the others are remembered. */
async function startToolsWithout(path: string): Promise<{ CAUSEWAY_TOOLS_URL: string }> {
  const away = await startTools();
  onTestFinished(() => away.close());
  const fresh = [{ version: "1.0.0", at: daysAgo(10) }];
  for (const name of ["fine", "old", "zod"]) serveNpm(away.fake, { name, versions: fresh });
  away.fake.fail(path, (response) => response.writeHead(503).end());
  return { CAUSEWAY_TOOLS_URL: away.causeway.toolsUrl };
}

it("audits what the registry tells where advisories are away, and says so", async () => {
  const environment = await startToolsWithout("/osv");
  for (const CI of ["true", ""]) {
    const outcome = await auditSelf([], { ...environment, CI });
    expect(outcome).toMatchObject({ code: 0 });
    expect(outcome.stderr).toContain("Audited without advisories: osv (");
    expect(outcome.stdout).toContain("2 packages: 0 findings beyond");
  }
  expect(await written()).toContain("the source of advisories could not be reached");
});

it("audits nothing without the registry, and fails for that in continuous integration alone", async () => {
  const environment = await startToolsWithout("/npm");
  const outcome = await auditSelf([], environment);
  expect(outcome).toMatchObject({ code: 0 });
  expect(outcome.stderr).toContain("Not audited, because the registry did not answer: npm (");
  expect(await written()).toBe(page);
  expect(await auditSelf([], { ...environment, CI: "true" })).toMatchObject({ code: 1 });
});

/** `npm run release`, into a folder of its own. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { z } from "zod";
import lock from "../../package-lock.json" with { type: "json" };
import manifest from "../../package.json" with { type: "json" };
import { repository } from "../support/causeway-process.ts";

const { version } = manifest;

vi.setConfig({ testTimeout: 60_000, hookTimeout: 300_000 });

const run = promisify(execFile);
const name = `causeway-${version}`;
let folder: string;

const statementSchema = z.strictObject({
  _type: z.literal("https://in-toto.io/Statement/v1"),
  subject: z.array(
    z.strictObject({
      name: z.string(),
      digest: z.strictObject({ sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
    }),
  ),
  predicateType: z.literal("https://slsa.dev/provenance/v1"),
  predicate: z.strictObject({
    buildDefinition: z.strictObject({
      buildType: z.string().startsWith("urn:"),
      externalParameters: z.strictObject({ commit: z.string(), uncommittedChanges: z.boolean() }),
      internalParameters: z.strictObject({}),
      resolvedDependencies: z.array(
        z.strictObject({ name: z.string(), digest: z.record(z.string(), z.string()) }),
      ),
    }),
    runDetails: z.strictObject({
      builder: z.strictObject({ id: z.string(), version: z.record(z.string(), z.string()) }),
      metadata: z.strictObject({
        invocationId: z.string(),
        startedOn: z.iso.datetime(),
        finishedOn: z.iso.datetime(),
      }),
    }),
  }),
});

async function release(
  words: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<{ stderr: string; code: number }> {
  const script = join(repository, "scripts/release.ts");
  const env = { ...process.env, ...environment };
  return run(process.execPath, [script, ...words], { cwd: repository, env }).then(
    ({ stderr }) => ({ stderr, code: 0 }),
    ({ stderr, code }: { stderr: string; code: number }) => ({ stderr, code }),
  );
}

async function digestOf(file: string): Promise<string> {
  const content = await readFile(join(folder, file));
  return createHash("sha256").update(content).digest("hex");
}

async function readJson(file: string): Promise<unknown> {
  return JSON.parse(await readFile(join(folder, file), "utf8"));
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "causeway-release-"));
  const outcome = await release([
    folder,
    "--allow-changes",
    "--builder",
    "https://ci.example.org/1",
  ]);
  if (outcome.code !== 0) throw new Error(outcome.stderr);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

it("makes the tarball, what belongs to it, and nothing else", async () => {
  expect((await readdir(folder)).toSorted()).toEqual([
    "SHA256SUMS",
    `${name}.cdx.json`,
    `${name}.provenance.json`,
    `${name}.tgz`,
    "causeway.binpb",
    "package-lock.json",
  ]);
  const { stdout } = await run("tar", ["--list", "--gzip", "--file", join(folder, `${name}.tgz`)]);
  expect(stdout.split("\n")).toEqual(
    expect.arrayContaining(["package/bin/causeway.js", "package/dist/src/main.js"]),
  );
});

it("states the digest of every file, and what it was made of", async () => {
  const statement = statementSchema.parse(await readJson(`${name}.provenance.json`));
  const { subject, predicate } = statement;
  expect(subject.map((it) => it.name)).toContain(`${name}.tgz`);
  for (const it of subject) expect(it.digest.sha256).toBe(await digestOf(it.name));
  const { stdout } = await run("git", ["rev-parse", "HEAD"], { cwd: repository });
  const { buildDefinition, runDetails } = predicate;
  expect(buildDefinition.externalParameters.commit).toBe(stdout.trim());
  expect(buildDefinition.resolvedDependencies).toEqual([
    { name: "source", digest: { gitCommit: stdout.trim() } },
    { name: "package-lock.json", digest: { sha256: await digestOf("package-lock.json") } },
  ]);
  expect(runDetails.builder.id).toBe("https://ci.example.org/1");
});

it("lists sums that sha256sum reads", async () => {
  const lines = (await readFile(join(folder, "SHA256SUMS"), "utf8")).trimEnd().split("\n");
  expect(lines).toHaveLength(5);
  for (const line of lines) {
    const [digest, file = ""] = line.split("  ");
    expect(digest).toBe(await digestOf(file));
  }
});

it("has a bill of materials with all that is installed beside the program, and nothing that only develops it", async () => {
  const bill = z
    .looseObject({
      bomFormat: z.literal("CycloneDX"),
      metadata: z.looseObject({ component: z.looseObject({ purl: z.string() }) }),
      components: z.array(z.looseObject({ purl: z.string() })),
    })
    .parse(await readJson(`${name}.cdx.json`));
  expect(bill.metadata.component.purl).toBe(`pkg:npm/causeway@${version}`);
  const packages: Readonly<Record<string, { version?: string; dev?: boolean; name?: string }>> =
    lock.packages;
  const used = Object.entries(packages).filter(([path, { dev }]) => path !== "" && dev !== true);
  const purls = used.map(([path, it]) => {
    const named = it.name ?? path.slice(path.lastIndexOf("node_modules/") + 13);
    return `pkg:npm/${named.replace("@", "%40")}@${it.version ?? ""}`;
  });
  expect(bill.components.map(({ purl }) => purl).toSorted()).toEqual(
    [...new Set(purls)].toSorted(),
  );
});

it("names no address that a package was fetched from", async () => {
  for (const file of ["package-lock.json", `${name}.cdx.json`]) {
    expect(await readFile(join(folder, file), "utf8")).not.toMatch(/"(?:resolved|distribution)"/);
  }
});

it("is refused where no commit says what it is made of", async () => {
  // With an index that knows no file, git takes every file for changed.
  const GIT_INDEX_FILE = join(folder, "no-index");
  const outcome = await release([join(folder, "refused")], { GIT_INDEX_FILE });
  expect(outcome).toMatchObject({ code: 1 });
  expect(outcome.stderr).toContain("The work tree has changes");
  expect(await readdir(folder)).not.toContain("refused");
});

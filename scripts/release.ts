/**
 * `npm run release -- [folder] [--builder <uri>] [--allow-changes]`: puts what a release
 * consists of into a folder. It publishes nothing and signs nothing: docs/supply-chain.md.
 */
import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { billOfMaterials } from "./release/bill-of-materials.ts";
import { digestOf } from "./release/digest-of.ts";
import { provenance, type Source } from "./release/provenance.ts";
import { readTool, repository } from "./run-tool.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    builder: { type: "string", default: "urn:causeway:builder:unnamed" },
    "allow-changes": { type: "boolean", default: false },
  },
});

const folder = resolve(positionals[0] ?? join(repository, "release"));
const startedOn = new Date();
const source = await readSource();
if (source.isChanged && !values["allow-changes"]) {
  console.error(
    "The work tree has changes, so that no commit says what the release is made of. " +
      "Commit or stash them, or try with --allow-changes, which the provenance then tells.",
  );
  process.exit(1);
}

await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
const quietly = ["--loglevel", "error", "--foreground-scripts=false"];
const packed = JSON.parse(
  await readTool("npm", ["pack", "--json", "--pack-destination", folder, ...quietly]),
) as unknown;
const tarball = tarballOf(packed);
const name = tarball.replace(/\.tgz$/, "");
await writeJson(`${name}.cdx.json`, await billOfMaterials());
// What an installation from the tarball pins its dependencies by, and the contract for other languages.
await copyFile(join(repository, "package-lock.json"), join(folder, "package-lock.json"));
await copyFile(join(repository, "gen/causeway.binpb"), join(folder, "causeway.binpb"));
const files = [tarball, `${name}.cdx.json`, "causeway.binpb", "package-lock.json"];
const subjects = await Promise.all(
  files.map(async (file) => ({
    name: file,
    digest: { sha256: await digestOf(join(folder, file)) },
  })),
);
const builder = { id: values.builder, version: await versions() };
const statement = provenance({ subjects, source, builder, startedOn, finishedOn: new Date() });
await writeJson(`${name}.provenance.json`, statement);
const sums = [
  ...subjects.map(({ name: file, digest }) => `${digest.sha256}  ${file}\n`),
  `${await digestOf(join(folder, `${name}.provenance.json`))}  ${name}.provenance.json\n`,
];
await writeFile(join(folder, "SHA256SUMS"), sums.join(""));
console.log(
  [...files, `${name}.provenance.json`, "SHA256SUMS"].map((it) => join(folder, it)).join("\n"),
);

async function readSource(): Promise<Source> {
  return {
    commit: await readTool("git", ["rev-parse", "HEAD"]),
    isChanged: (await readTool("git", ["status", "--porcelain"])) !== "",
    lockFile: await digestOf(join(repository, "package-lock.json")),
  };
}

/** npm 11 prints a list, and later ones an object by the name of the package. */
function tarballOf(packed: unknown): string {
  const [first] = Object.values(packed as Readonly<Record<string, { filename: string }>>);
  if (first === undefined) throw new Error("npm pack has made no tarball.");
  return first.filename;
}

async function versions(): Promise<Record<string, string>> {
  return { node: process.versions.node, npm: await readTool("npm", ["--version"]) };
}

async function writeJson(file: string, value: unknown): Promise<void> {
  await writeFile(join(folder, file), `${JSON.stringify(value, undefined, 2)}\n`);
}

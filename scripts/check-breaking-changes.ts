/**
 * Fails when proto/ breaks callers of an earlier version of itself:
 * `node scripts/check-breaking-changes.ts [ref]`. Without a ref the contract is compared with
 * the version before its last change: with HEAD while there are uncommitted
 * changes, else with the commit before the last one that touched proto/. Without
 * such a commit there is nobody to break.
 */
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readTool, repository, runTool } from "./run-tool.ts";
import { copyThirdPartyProtos, thirdPartyFolder } from "./third-party-protos.ts";

const contract = "proto";
const base = process.argv[2] ?? (await previousVersion());

if (base === undefined) {
  console.log("No earlier version of the contract to compare with.");
} else {
  await copyThirdPartyProtos();
  await compareWith(base).catch((error: unknown) => {
    process.exitCode = 1;
    console.error(`The contract breaks callers of its version ${base}.\n${String(error)}`);
  });
}

async function previousVersion(): Promise<string | undefined> {
  const pending = await readTool("git", ["status", "--porcelain", "--", contract]);
  const log = await readTool("git", ["log", "-2", "--format=%H", "--", contract]);
  const versions = log.split("\n").filter((line) => line !== "");
  return versions[pending === "" ? 1 : 0];
}

async function compareWith(ref: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "causeway-breaking-"));
  try {
    await layOutVersion(ref, folder);
    await runTool("buf", ["breaking", contract, "--against", join(folder, contract)]);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** A plain `.git#ref=…` would lack the third-party protos, which are never committed. */
async function layOutVersion(ref: string, folder: string): Promise<void> {
  const archive = join(folder, "contract.tar");
  await runTool("git", ["archive", `--output=${archive}`, ref, contract]);
  await runTool("tar", ["-xf", archive, "-C", folder]);
  for (const name of ["buf.yaml", thirdPartyFolder]) {
    await cp(join(repository, name), join(folder, name), { recursive: true });
  }
}

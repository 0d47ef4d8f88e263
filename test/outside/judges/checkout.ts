import { cp, stat } from "node:fs/promises";
import { join } from "node:path";
import { runTool } from "../../../scripts/run-tool.ts";
import type { Workshop } from "../workshop.ts";

/**
 * A copy of a suite that no package manager has: of the folder, or of the repository,
 * that an environment variable names. Rejects with what to set.
 */
export async function checkOut(workshop: Workshop, variable: string): Promise<string> {
  const source = process.env[variable];
  if (source === undefined || source === "") {
    throw new Error(`set ${variable} to its folder, or to the address of its repository`);
  }
  const folder = join(workshop.folder, variable.toLowerCase());
  if (await isWorkTree(source)) await cp(source, folder, { recursive: true });
  else await runTool("git", ["clone", "--quiet", "--depth", "1", source, folder]);
  return folder;
}

/** A folder of files; a bare repository is cloned as others are. */
async function isWorkTree(source: string): Promise<boolean> {
  const [folder, head] = await Promise.all([source, join(source, "HEAD")].map(isThere));
  return folder === true && head === false;
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

import { cp, stat } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { readTool, runTool } from "../../../scripts/run-tool.ts";
import type { Workspace } from "../workspace.ts";

/** A suite, in a folder of the workshop. */
export interface Checkout {
  readonly folder: string;
  /** The day of its last change, if that is known. */
  readonly version: string;
}

/**
 * A copy of a suite that no package manager has: of the folder, or of the repository,
 * that an environment variable names. Rejects with what to set.
 */
export async function checkOut(workshop: Workspace, variable: string): Promise<Checkout> {
  const source = process.env[variable];
  if (source === undefined || source === "") {
    throw new Error(`set ${variable} to its folder, or to the address of its repository`);
  }
  const folder = join(workshop.folder, variable.toLowerCase());
  if ((await isThere(source)) && !(await isBareRepository(source))) {
    await cp(source, folder, { recursive: true });
  } else {
    await runTool("git", ["clone", "--quiet", "--depth", "1", await addressOf(source), folder]);
  }
  return { folder, version: await versionOf(folder) };
}

async function versionOf(folder: string): Promise<string> {
  if (!(await isThere(join(folder, ".git")))) return "a copy";
  return `of ${await readTool("git", ["-C", folder, "log", "-1", "--format=%cs"])}`;
}

function isBareRepository(source: string): Promise<boolean> {
  return isThere(join(source, "HEAD"));
}

/** git copies the whole history of what is named as a path. */
async function addressOf(source: string): Promise<string> {
  return (await isThere(source)) ? pathToFileURL(source).href : source;
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

import { chmod, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processExists } from "../../src/platform/database/embedded/postmaster-file.ts";
import { directoryPrefix, memoryFolder, removeDataDirectory } from "./data-directory.ts";

/**
 * Makes the folder of this run, which is `TMPDIR` for its tests and for the processes that
 * they start, and removes it at the end. What a killed run left is removed by the next run.
 */
export default async function setup(): Promise<() => Promise<void>> {
  await removeLeftovers(tmpdir());
  await removeLeftovers(memoryFolder);
  const folder = await mkdtemp(join(tmpdir(), `${directoryPrefix}${process.pid}-`));
  // Like /tmp: the account of a database server, which is not root, makes its own there.
  await chmod(folder, 0o1777);
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = folder;
  return async () => {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
    await rm(folder, { recursive: true, force: true });
  };
}

/** Stops the database servers of runs that were killed and removes their folders. */
async function removeLeftovers(parent: string): Promise<void> {
  const entries = await readdir(parent).catch(() => []);
  const names = entries.filter((name) => name.startsWith(directoryPrefix));
  const left = names.filter(
    (name) => !processExists(Number.parseInt(name.slice(directoryPrefix.length), 10)),
  );
  for (const name of left) {
    await removeLeftovers(join(parent, name));
    await removeDataDirectory(join(parent, name));
  }
}

import { readFileSync, rmSync } from "node:fs";
import { mkdtemp, readFile, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { stopPostmaster } from "../../src/platform/database/embedded/postmaster.ts";

/** The number of the process that made it follows. */
export const directoryPrefix = "causeway-test-";

/** A data directory that the global setup of a later run clears away if this run is killed. */
export function newDataDirectory(): Promise<string> {
  return mkdtemp(join(tmpdir(), `${directoryPrefix}${process.pid}-`));
}

/** A folder in memory, on Linux. */
export const memoryFolder = "/dev/shm";

/** Room for the databases that the workers have at a time, and for the log of the server. */
const neededBytes = 2 ** 30;

/**
 * A data directory in memory, where it has room. The tests create and drop hundreds of
 * databases: ext4 looks at each file that was deleted in the last seconds before it creates
 * another, and takes twenty times as long.
 */
export async function newDataDirectoryInMemory(): Promise<string> {
  const space = await statfs(memoryFolder).catch(() => undefined);
  if (space === undefined || space.bavail * space.bsize < neededBytes) return newDataDirectory();
  return mkdtemp(join(memoryFolder, `${directoryPrefix}${process.pid}-`));
}

/** Where the cluster of a data directory lies: in it, or, where its account cannot get there, at a place that it names. */
export async function clusterOf(dataDirectory: string): Promise<string> {
  return join(await homeOf(dataDirectory), "data");
}

/** Takes a data directory away, and its database wherever that lies, running or not. */
export async function removeDataDirectory(dataDirectory: string): Promise<void> {
  const home = await homeOf(dataDirectory);
  await stopPostmaster(join(home, "data"));
  await rm(home, { recursive: true, force: true });
  await rm(dataDirectory, { recursive: true, force: true });
}

/** A run that is interrupted does not come to its end: then the server goes at once, with what is in it. */
export function removeWithThisProcess(dataDirectory: string, cluster: string): void {
  process.once("exit", () => {
    try {
      const [pid] = readFileSync(join(cluster, "postmaster.pid"), "utf8").split("\n");
      process.kill(Number(pid), "SIGQUIT");
      for (const path of [dirname(cluster), dataDirectory])
        rmSync(path, { recursive: true, force: true });
    } catch {
      // It was stopped, or what is left is for the next run.
    }
  });
}

async function homeOf(dataDirectory: string): Promise<string> {
  const named = await readFile(join(dataDirectory, "postgres-location"), "utf8").catch(() => "");
  return named.trim() || join(dataDirectory, "postgres");
}

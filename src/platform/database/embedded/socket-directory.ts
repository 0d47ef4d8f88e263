import { chown, lstat, mkdir, mkdtemp, readFile, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PostgresClusterPaths } from "./cluster-location.ts";
import { canOsUserTraverse } from "./path-access.ts";
import type { PostgresOsUser } from "./server-account.ts";

/** Longest path of a socket that we use; systems allow 104 to 108 bytes with the end mark. */
const maxSocketPathBytes = 100;

/** In the home; names the socket's directory where that lies elsewhere. */
const pointerName = "socket-location";

/** PostgreSQL derives the socket's name from its port number; there is no TCP port. */
export const postgresSocketPort = 5432;

/**
 * The directory of the cluster's socket, mode 0700, owned by who runs the
 * server. It is the same at every start, since others hold its name in their
 * connection strings: `run` in the home, or, where that makes too long a path, a
 * directory of random name under the system's temporary directory.
 */
export async function preparePostgresSocketDirectory(
  location: PostgresClusterPaths,
): Promise<string> {
  const near = join(location.home, "run");
  if (fits(near)) {
    // In our own home an existing directory is one that another process makes right now.
    await mkdir(near, { mode: 0o700 }).catch(ignoring("EEXIST"));
    await give(near, location.account);
    return near;
  }
  return prepareFarDirectory(location);
}

async function prepareFarDirectory({ home, account }: PostgresClusterPaths): Promise<string> {
  const pointer = join(home, pointerName);
  const known = await readFile(pointer, "utf8").then(
    (text) => text.trim(),
    () => undefined,
  );
  if (known !== undefined && (await restore(known, account))) return known;
  const made = await mkdtemp(join(await temporaryDirectory(account), "causeway-"));
  await give(made, account);
  await writeFile(pointer, `${made}\n`, { mode: 0o600 });
  return made;
}

/** Temporary directories are emptied: then the directory comes back under its name, unless somebody took that. */
async function restore(path: string, account: PostgresOsUser | undefined): Promise<boolean> {
  if (await isOurs(path, account)) return true;
  try {
    await mkdir(path, { mode: 0o700 });
  } catch {
    return false;
  }
  await give(path, account);
  return true;
}

/** A process that leaves may take it away right now: then the server misses it, ends, and is started again. */
async function give(path: string, account: PostgresOsUser | undefined): Promise<void> {
  if (account !== undefined) await chown(path, account.uid, account.gid).catch(ignoring("ENOENT"));
}

function ignoring(code: string): (error: NodeJS.ErrnoException) => void {
  return (error) => {
    if (error.code !== code) throw error;
  };
}

async function isOurs(path: string, account: PostgresOsUser | undefined): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  const owner = account?.uid ?? process.getuid?.();
  return (
    stats !== undefined && stats.isDirectory() && stats.uid === owner && (stats.mode & 0o077) === 0
  );
}

/** `TMPDIR`, unless it is too long as well or closed to the account. */
async function temporaryDirectory(account: PostgresOsUser | undefined): Promise<string> {
  const preferred = await realpath(tmpdir());
  const reachable = account === undefined || (await canOsUserTraverse(account, preferred));
  return reachable && fits(join(preferred, "causeway-XXXXXX")) ? preferred : "/tmp";
}

function fits(directory: string): boolean {
  return Buffer.byteLength(join(directory, `.s.PGSQL.${postgresSocketPort}`)) <= maxSocketPathBytes;
}

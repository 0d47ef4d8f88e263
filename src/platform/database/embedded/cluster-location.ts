import { createHash } from "node:crypto";
import { chmod, mkdir, readFile, realpath, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { DatabaseStartError } from "../database-start-error.ts";
import { canOsUserTraverse } from "./path-access.ts";
import {
  readPostgresClusterOwner,
  choosePostgresOsUser,
  isRunningAsRoot,
  type PostgresOsUser,
} from "./server-account.ts";

/** Where a data directory's cluster lies and who runs it. */
export interface PostgresClusterPaths {
  /** Absolute, symlinks resolved. Holds the password, and the cluster's home or its name. */
  readonly dataDirectory: string;
  /** Holds the cluster, its socket and its log. */
  readonly home: string;
  /** The cluster itself, PGDATA. */
  readonly cluster: string;
  /** Where copies of the programs may be put for this account. */
  readonly copiesDirectory: string;
  /** Undefined: the server runs under this process's own user. */
  readonly account: PostgresOsUser | undefined;
}

/** In the data directory; names the cluster's home where that lies elsewhere. */
const pointerName = "postgres-location";

/** State of the whole system, open to every account; machines without `/var/lib` are Macs. */
const systemStateDirectories = ["/var/lib", "/var/db"];

/**
 * Makes the data directory and says where its cluster belongs: in it, if the
 * account that runs the server can get there (as root the directory is opened
 * to 0711 for that), else below the system's state directory, in which case the
 * data directory names the place in a file.
 *
 * @param stateDirectory - tests put another one in place of `/var/lib`
 */
export async function preparePostgresClusterDirectory(
  dataDirectory: string,
  stateDirectory?: string,
): Promise<PostgresClusterPaths> {
  const directory = await makeDataDirectory(dataDirectory);
  if (!isRunningAsRoot()) return locateForOurselves(directory);
  return locateForAccount(directory, join(stateDirectory ?? (await systemState()), "causeway"));
}

/** A closed directory, but parents as usual: a mode given to a recursive mkdir would close those too. */
async function makeDataDirectory(path: string): Promise<string> {
  const absolute = resolve(path);
  await mkdir(dirname(absolute), { recursive: true });
  await mkdir(absolute, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  return realpath(absolute);
}

async function locateForOurselves(dataDirectory: string): Promise<PostgresClusterPaths> {
  const home = (await knownHome(dataDirectory)) ?? join(dataDirectory, "postgres");
  await rejectForeign(home);
  await mkdir(home, { recursive: true, mode: 0o700 });
  return { ...within(home), dataDirectory, account: undefined };
}

/** Only its owner, or root, can run a cluster. */
async function rejectForeign(home: string): Promise<void> {
  const owner = await stat(join(home, "data")).catch(() => undefined);
  if (owner === undefined || owner.uid === process.getuid?.()) return;
  throw new DatabaseStartError(
    `The database in ${home} belongs to another user (uid ${owner.uid}). ` +
      "Start Causeway as the user that made it (as root, if that was root), or set CAUSEWAY_DATA_DIR to another directory.",
  );
}

async function locateForAccount(
  directory: string,
  stateDirectory: string,
): Promise<PostgresClusterPaths> {
  const known = await knownHome(directory);
  const account = (await ownerOf(known)) ?? (await choosePostgresOsUser());
  const home = known ?? (await chooseHome(directory, stateDirectory, account));
  await mkdir(home, { recursive: true, mode: 0o711 });
  if (!(await canOsUserTraverse(account, home))) await openParents(home, directory);
  if (!(await canOsUserTraverse(account, home))) throw unreachable(home, account);
  return { ...within(home), copiesDirectory: stateDirectory, dataDirectory: directory, account };
}

function within(home: string): Pick<PostgresClusterPaths, "home" | "cluster" | "copiesDirectory"> {
  return { home, cluster: join(home, "data"), copiesDirectory: home };
}

/** Where an earlier start put the cluster. */
async function knownHome(directory: string): Promise<string | undefined> {
  const pointer = join(directory, pointerName);
  const named = await readFile(pointer, "utf8").then(
    (text) => text.trim(),
    () => undefined,
  );
  const home = named ?? join(directory, "postgres");
  if (await isDirectory(home)) return home;
  if (named === undefined) return undefined;
  throw new DatabaseStartError(
    `The database of ${directory} lies in ${named} (so says ${pointer}), which does not exist. ` +
      `Restore it, or delete ${pointer} to start with an empty database.`,
  );
}

async function ownerOf(home: string | undefined): Promise<PostgresOsUser | undefined> {
  if (home === undefined) return undefined;
  const owner = await stat(join(home, "data")).catch(() => undefined);
  return owner === undefined || owner.uid === 0 ? undefined : readPostgresClusterOwner(owner);
}

async function chooseHome(
  directory: string,
  stateDirectory: string,
  account: PostgresOsUser,
): Promise<string> {
  if (await canOsUserTraverse(account, dirname(directory))) return join(directory, "postgres");
  const home = join(
    stateDirectory,
    createHash("sha256").update(directory).digest("hex").slice(0, 16),
  );
  await writeFile(join(directory, pointerName), `${home}\n`, { mode: 0o600 });
  return home;
}

/** Lets accounts pass, without listing, through what is ours: the home and the data directory above it. */
async function openParents(home: string, directory: string): Promise<void> {
  const ours = home.startsWith(`${directory}/`) ? [home, directory] : [home, dirname(home)];
  for (const path of ours) {
    const { mode } = await stat(path);
    if ((mode & 0o011) !== 0o011) await chmod(path, mode | 0o011);
  }
}

function unreachable(home: string, account: PostgresOsUser): DatabaseStartError {
  return new DatabaseStartError(
    `The account ${account.name}, under which PostgreSQL runs, cannot reach ${home}. ` +
      "Give each of its parents the permission to pass through (chmod o+x), or set CAUSEWAY_DATA_DIR to another directory.",
  );
}

async function systemState(): Promise<string> {
  for (const path of systemStateDirectories) {
    if (await isDirectory(path)) return path;
  }
  throw new DatabaseStartError(
    `This system has none of ${systemStateDirectories.join(", ")}. Start Causeway as an ordinary user, or set DATABASE_URL.`,
  );
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}

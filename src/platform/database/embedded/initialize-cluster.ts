import { once } from "node:events";
import {
  chown,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { DatabaseStartError } from "../database-start-error.ts";
import type { PostgresClusterPaths } from "./cluster-location.ts";
import { pathExists } from "./path-exists.ts";
import { spawnAsOsUser } from "./run-as.ts";
import type { PostgresBinaries } from "./server-binaries.ts";

/** Database user that owns the cluster; the services connect as a lesser one. */
export const postgresSuperuserName = "postgres";

/** Directories that a killed initdb left behind are removed after this long. */
const leftoverMs = 600_000;

/**
 * Makes the cluster unless there is one. It grows in a directory of its own and
 * is renamed when complete, so that a cluster which exists is whole, and of
 * several processes that do this at once one wins and the others take its.
 *
 * The collation is PostgreSQL's own C.UTF-8: byte order, the same on every
 * machine and after every upgrade of the system's libraries.
 */
export async function initializePostgresCluster(
  location: PostgresClusterPaths,
  binaries: PostgresBinaries,
  password: string,
  sync: boolean,
): Promise<void> {
  if (await pathExists(join(location.cluster, "PG_VERSION"))) return;
  await removeLeftovers(location.home);
  const staging = await mkdtemp(join(location.home, "initdb-"));
  try {
    await runInitdb(location, binaries, password, staging, sync);
    await moveIntoPlace(join(staging, "data"), location.cluster);
    if (sync) await syncDirectory(location.home);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/**
 * @throws DatabaseStartError when the cluster was made by another major version,
 * which this one cannot read
 */
export async function checkPostgresClusterVersion(
  cluster: string,
  packageVersion: string,
): Promise<void> {
  const made = (await readFile(join(cluster, "PG_VERSION"), "utf8")).trim();
  const [major] = packageVersion.split(".");
  if (made === major) return;
  throw new DatabaseStartError(
    `The database in ${cluster} was made by PostgreSQL ${made}, this release brings PostgreSQL ${major}. ` +
      "Dump it with the release that made it and restore it into a new data directory.",
  );
}

async function runInitdb(
  { account, home }: PostgresClusterPaths,
  binaries: PostgresBinaries,
  password: string,
  staging: string,
  sync: boolean,
): Promise<void> {
  const passwordFile = join(staging, "password");
  await writeFile(passwordFile, password, { mode: 0o600 });
  for (const path of account === undefined ? [] : [staging, passwordFile]) {
    await chown(path, account?.uid ?? 0, account?.gid ?? 0);
  }
  const child = await spawnAsOsUser(
    binaries.initdb,
    initdbParameters(staging, passwordFile, sync),
    {
      account,
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  const complaints: Buffer[] = [];
  child.stderr?.on("data", (chunk: Buffer) => complaints.push(chunk));
  const [code] = await once(child, "close");
  if (code !== 0) throw initdbFailed(home, Buffer.concat(complaints).toString().trim());
}

function initdbParameters(staging: string, passwordFile: string, sync: boolean): string[] {
  const parameters = {
    pgdata: join(staging, "data"),
    username: postgresSuperuserName,
    pwfile: passwordFile,
    auth: "scram-sha-256",
    encoding: "UTF8",
    locale: "C",
    "locale-provider": "builtin",
    "builtin-locale": "C.UTF-8",
  };
  const list = Object.entries(parameters).map(([name, value]) => `--${name}=${value}`);
  return [...list, "--no-instructions", ...(sync ? [] : ["--no-sync"])];
}

function initdbFailed(home: string, complaint: string): DatabaseStartError {
  const advice = complaint.includes("could not look up effective user ID")
    ? "Add this user to the passwd file, start Causeway as another user, or set DATABASE_URL."
    : "Correct that, or set DATABASE_URL.";
  return new DatabaseStartError(`Cannot make a database in ${home}: ${complaint}. ${advice}`);
}

async function moveIntoPlace(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!(await pathExists(join(to, "PG_VERSION")))) throw error;
  }
}

/** Makes the new name outlive a crash of the machine, as initdb did with the files. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

async function removeLeftovers(home: string): Promise<void> {
  const names = (await readdir(home)).filter((name) => name.startsWith("initdb-"));
  for (const path of names.map((name) => join(home, name))) {
    const age = Date.now() - (await stat(path).then(({ mtimeMs }) => mtimeMs, Date.now));
    if (age > leftoverMs) await rm(path, { recursive: true, force: true });
  }
}

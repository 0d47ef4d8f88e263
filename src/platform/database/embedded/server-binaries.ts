import { randomUUID } from "node:crypto";
import { chmod, copyFile, mkdir, readdir, readlink, rename, rm, symlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { DatabaseStartError } from "../database-start-error.ts";
import { createPostgresLibrarySymlinks } from "./library-links.ts";
import type { NativePostgresPackage } from "./native-package.ts";
import { canOsUserTraverse, canOsUserRead } from "./path-access.ts";
import { pathExists } from "./path-exists.ts";
import type { PostgresOsUser } from "./server-account.ts";

/** Programs that can be started as they are. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * The package's programs where they lie, if the server's account can read them
 * and their libraries are linked. Otherwise (a clone below a closed home
 * directory, a read-only `node_modules` without links) a copy of this version in
 * `copiesDirectory`, made once.
 *
 * @param account - undefined: the server runs under this process's own user
 */
export async function preparePostgresBinaries(
  native: NativePostgresPackage,
  account: PostgresOsUser | undefined,
  copiesDirectory: string,
): Promise<PostgresBinaries> {
  if (await isUsable(native.directory, account)) return programs(native.directory);
  const copy = join(copiesDirectory, `postgresql-${native.version}`);
  if (!(await pathExists(copy))) await makeCopy(native.directory, copy);
  return programs(copy);
}

function programs(directory: string): PostgresBinaries {
  return { initdb: join(directory, "bin", "initdb"), postgres: join(directory, "bin", "postgres") };
}

async function isUsable(directory: string, account: PostgresOsUser | undefined): Promise<boolean> {
  try {
    await createPostgresLibrarySymlinks(directory);
  } catch {
    return false;
  }
  if (account === undefined) return true;
  const shared = join(directory, "share", "postgresql");
  const entered = await Promise.all(
    ["bin", "lib", join("share", "postgresql")].map((part) =>
      canOsUserTraverse(account, join(directory, part)),
    ),
  );
  const samples = [
    programs(directory).postgres,
    join(shared, "postgres.bki"),
    await firstLibrary(directory),
  ];
  const readable = await Promise.all(samples.map((path) => canOsUserRead(account, path)));
  return [...entered, ...readable].every(Boolean);
}

/** One library stands for all: an installation sets the same mode on each. */
async function firstLibrary(directory: string): Promise<string> {
  const names = await readdir(join(directory, "lib"));
  return join(
    directory,
    "lib",
    names.find((name) => name.includes(".so") || name.endsWith(".dylib")) ?? "",
  );
}

/** Copied beside the target and renamed, so that a copy which exists is complete. */
async function makeCopy(source: string, target: string): Promise<void> {
  const staging = `${target}.${randomUUID()}`;
  try {
    await copyReadable(source, staging);
    await createPostgresLibrarySymlinks(staging);
    await rename(staging, target);
  } catch (error) {
    await rm(staging, { recursive: true, force: true }).catch(() => undefined);
    // A process that copied at the same time was faster: its copy is as good.
    if (await pathExists(target)) return;
    throw new DatabaseStartError(
      `Cannot copy PostgreSQL from ${source} to ${dirname(target)}. Make that directory writable, or set DATABASE_URL.`,
      { cause: error },
    );
  }
}

/** Copies the tree with modes that let everybody read it; static libraries are of no use here. */
async function copyReadable(source: string, target: string): Promise<void> {
  await mkdir(target, { recursive: true });
  await chmod(target, 0o755);
  for (const entry of await readdir(source, { withFileTypes: true })) {
    const from = join(source, entry.name);
    const to = join(target, entry.name);
    if (entry.isDirectory()) await copyReadable(from, to);
    else if (entry.isSymbolicLink()) await symlink(await readlink(from), to);
    else if (!entry.name.endsWith(".a")) await copyReadableFile(from, to);
  }
}

async function copyReadableFile(from: string, to: string): Promise<void> {
  await copyFile(from, to);
  await chmod(to, basename(dirname(to)) === "bin" ? 0o755 : 0o644);
}

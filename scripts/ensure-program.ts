import { spawnSync } from "node:child_process";
import { access, constants, rm, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";

/** A program of the system that tests need. */
export interface RequiredProgram {
  /** Names that it may have; the first that is there is taken. */
  readonly names: readonly string[];
  /** Debian's package of it. */
  readonly debianPackage: string;
  /** Said when it is not there and cannot be installed: what to do. */
  readonly missing: string;
}

/** Path of a program on the PATH. Throws with what to install. */
export async function findProgram({
  names,
  missing,
}: Pick<RequiredProgram, "names" | "missing">): Promise<string> {
  for (const name of names) {
    const path = await findOnPath(name);
    if (path !== undefined) return path;
  }
  throw new Error(missing);
}

/**
 * Sees to it that a program can be started: one on the PATH, or else of Debian's
 * package, which root installs. Throws with what to install.
 */
export async function ensureProgram(program: RequiredProgram): Promise<void> {
  const isThere = await findProgram(program).then(
    () => true,
    () => false,
  );
  if (isThere) return;
  if (process.getuid?.() === 0 && (await findOnPath("apt-get")) !== undefined) {
    await installPackage(program.debianPackage);
  }
  await findProgram(program);
}

async function findOnPath(name: string): Promise<string | undefined> {
  // Where root's packages put servers, which the PATH of a service may lack.
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/usr/bin"];
  for (const folder of folders) {
    const path = join(folder, name);
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (folder !== "" && isThere) return path;
  }
  return undefined;
}

const policyFile = "/usr/sbin/policy-rc.d";

/** Installs a package without starting its system service, which Debian asks a policy about. */
async function installPackage(name: string): Promise<void> {
  process.stderr.write(`${name} is not there; installing Debian's package\n`);
  const isOurs = await writeFile(policyFile, "#!/bin/sh\nexit 101\n", {
    flag: "wx",
    mode: 0o755,
  }).then(
    () => true,
    () => false,
  );
  try {
    if (!aptGet("install", "--yes", "--no-install-recommends", name)) {
      // The lists of packages may be missing or old.
      aptGet("update");
      aptGet("install", "--yes", "--no-install-recommends", name);
    }
  } finally {
    if (isOurs) await rm(policyFile, { force: true });
  }
}

function aptGet(...words: string[]): boolean {
  const { status } = spawnSync("apt-get", ["--quiet", ...words], {
    stdio: ["ignore", 2, 2],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
  return status === 0;
}

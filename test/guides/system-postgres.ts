import { type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { Readable } from "node:stream";
import { onTestFinished } from "vitest";
import {
  choosePostgresOsUser,
  isRunningAsRoot,
} from "../../src/platform/database/embedded/server-account.ts";
import { spawnAsOsUser } from "../../src/platform/database/embedded/run-as.ts";
import { ensureProgram } from "../../scripts/ensure-program.ts";
import { closedPort } from "../support/closed-port.ts";

/** Debian and Ubuntu have a folder for each version, and leave its server out of the PATH. */
const debianHome = "/usr/lib/postgresql";
const missing =
  "This test needs PostgreSQL's server and `pg_dump` (Debian and Ubuntu: apt-get install postgresql).";
const programs = ["initdb", "postgres", "psql", "pg_dump", "pg_restore"];

/** A server of PostgreSQL that trusts every connection of this machine. */
export interface SystemPostgres {
  /** Folder of its programs. */
  readonly binaries: string;
  readonly port: number;
}

/**
 * Folder with a PostgreSQL of the system and its `pg_dump`, which the embedded one lacks;
 * undefined where there is none. In continuous integration it is installed then, or that fails.
 */
export async function findSystemPostgres(): Promise<string | undefined> {
  const found = await findPrograms();
  if (found !== undefined || process.env["CI"] === undefined) return found;
  await ensureProgram({ names: ["pg_dump"], debianPackage: "postgresql", missing });
  return findPrograms();
}

async function findPrograms(): Promise<string | undefined> {
  const versions = (await namesIn(debianHome)).toSorted().toReversed();
  const ofDebian = versions.map((version) => join(debianHome, version, "bin"));
  for (const folder of [...ofDebian, ...(process.env["PATH"] ?? "").split(delimiter)]) {
    const names = new Set(await namesIn(folder));
    if (programs.every((name) => names.has(name))) return folder;
  }
  return undefined;
}

/** Starts it, empty, on a free port; it ends with the test. */
export async function startSystemPostgres(binaries: string): Promise<SystemPostgres> {
  const account = isRunningAsRoot() ? await choosePostgresOsUser() : undefined;
  const directory = await mkdtemp(join(tmpdir(), "causeway-guide-postgres-"));
  await chmod(directory, 0o700);
  if (account !== undefined) await chown(directory, account.uid, account.gid);
  const run = async (name: string, ...words: string[]) => {
    const stdio = ["ignore", "ignore", "pipe"] as const;
    const child = await spawnAsOsUser(join(binaries, name), words, { account, stdio: [...stdio] });
    return child as ChildProcessByStdio<null, null, Readable>;
  };
  const data = join(directory, "data");
  const who = ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-locale"];
  await once(await run("initdb", `--pgdata=${data}`, ...who), "close");
  const port = await closedPort();
  const server = await run("postgres", "-D", data, "-p", String(port), "-k", directory);
  onTestFinished(async () => {
    server.kill("SIGQUIT");
    if (server.exitCode === null && server.signalCode === null) await once(server, "exit");
    await rm(directory, { recursive: true, force: true });
  });
  await accepts(server);
  return { binaries, port };
}

/** Its log is read on, so that it never waits. */
function accepts(server: ChildProcessByStdio<null, null, Readable>): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = "";
    server.once("exit", () => reject(new Error(`PostgreSQL did not start:\n${said}`)));
    server.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      if (said.includes("ready to accept connections")) resolve();
    });
  });
}

function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((): string[] => []);
}

import { readFileSync } from "node:fs";
import { link, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { postgresSocketPort } from "./socket-directory.ts";

/** What a running server says of itself in `postmaster.pid`. */
export interface PostmasterFile {
  readonly pid: number;
  /** Of the cluster, as the server was told it. */
  readonly dataDirectory: string;
  /** `stopping` takes no more connections; `starting` covers recovery after a crash. */
  readonly status: "starting" | "ready" | "stopping";
  readonly socketDirectory: string;
  /** The whole text, to tell one run of the server from the next. */
  readonly text: string;
}

/** Reads the file; undefined when there is none or it is still being written. */
export async function readPostmasterFile(cluster: string): Promise<PostmasterFile | undefined> {
  const text = await readFile(join(cluster, "postmaster.pid"), "utf8").catch(() => "");
  const lines = text.split("\n");
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  const [, dataDirectory = "", , , socketDirectory = ""] = lines;
  return { pid, dataDirectory, status: statusOf(lines[7]), socketDirectory, text };
}

function statusOf(line: string | undefined): PostmasterFile["status"] {
  const word = line?.trim();
  return word === "ready" || word === "stopping" ? word : "starting";
}

/**
 * Whether the server that wrote the file still runs. Numbers of processes are
 * given again, after the restart of a container very soon: a process that is
 * certainly not this server (no PostgreSQL, a session of one, the server of
 * another cluster) does not count, one that cannot be looked at does.
 */
export function isPostmasterRunning(file: PostmasterFile): boolean {
  return processExists(file.pid) && mayServe(file.pid, file.dataDirectory);
}

/** Whether any process has that number now. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function mayServe(pid: number, dataDirectory: string): boolean {
  try {
    // A process that has ended and was not yet waited for has no command line.
    const [program = "", ...parameters] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    // Sessions call themselves `postgres: user database …`.
    if (!/^(.*\/)?postgres$/.test(program)) return false;
    const at = parameters.indexOf("-D");
    return at === -1 || parameters[at + 1] === dataDirectory;
  } catch {
    return true;
  }
}

/**
 * Takes away the files of a server that is gone but whose number another process
 * has now; PostgreSQL itself would wait for that process for ever. Never called
 * while the server lives. The file is moved first and compared, so that one that
 * a new server wrote in the meantime is put back.
 */
export async function removeStalePostmasterFile(
  cluster: string,
  stale: PostmasterFile,
): Promise<void> {
  const path = join(cluster, "postmaster.pid");
  const aside = `${path}.stale-${process.pid}`;
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  const isStale = (await readFile(aside, "utf8")) === stale.text;
  if (isStale) await removeSocketLock(stale);
  else await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
}

/** The socket has a lock file of its own, with the same number in it. */
async function removeSocketLock({ socketDirectory, pid }: PostmasterFile): Promise<void> {
  const path = join(socketDirectory, `.s.PGSQL.${postgresSocketPort}.lock`);
  const text = await readFile(path, "utf8").catch(() => "");
  if (Number(text.split("\n")[0]) === pid) await rm(path, { force: true });
}

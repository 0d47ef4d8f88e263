import { copyFile, open, readFile, stat, truncate, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import type { PostgresClusterPaths } from "./cluster-location.ts";

/** One earlier file of this size is kept beside the current one. */
const maxBytes = 4 * 1024 * 1024;

/** Path of the server's log. */
export function postgresLogPath(home: string): string {
  return join(home, "server.log");
}

/**
 * Keeps the log bounded while the server writes to it: what is too long moves to
 * `server.log.1` and the file is emptied in place, which works because the
 * server appends. Several processes may do this at once; at worst they lose lines.
 */
export async function rotatePostgresLog(home: string): Promise<void> {
  const path = postgresLogPath(home);
  const { size } = await stat(path);
  if (size <= maxBytes) return;
  await copyFile(path, `${path}.1`);
  await truncate(path, 0);
}

/** Where the log ends now, to read later what one run of the server added. */
export async function postgresLogSize(home: string): Promise<number> {
  return stat(postgresLogPath(home)).then(
    ({ size }) => size,
    () => 0,
  );
}

/** The last lines after that place, for a message about a server that did not start. */
export async function readPostgresLogTailSince(home: string, start: number): Promise<string> {
  const text = (await readFile(postgresLogPath(home))).subarray(start).toString("utf8");
  return text.trim().split("\n").slice(-6).join("\n");
}

/** Opens the log for a server to append to. Close it once the server has it. */
export async function openPostgresServerLog({
  home,
  account,
}: PostgresClusterPaths): Promise<FileHandle> {
  const log = await open(postgresLogPath(home), "a", 0o600);
  // The cluster's owner may be who starts it the next time.
  if (account !== undefined) await log.chown(account.uid, account.gid);
  return log;
}

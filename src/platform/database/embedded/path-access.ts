import type { Stats } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { PostgresOsUser } from "./server-account.ts";

/** Permission bits as one of the three digits of a mode has them. */
const read = 4;
const enter = 1;

/**
 * Whether the account may pass through the directory and each of its parents,
 * by their mode bits. Access control lists are not looked at: they are rare, and
 * a wrong "no" only moves files to where they can be reached.
 */
export async function canOsUserTraverse(
  account: PostgresOsUser,
  directory: string,
): Promise<boolean> {
  let current = await realpath(directory);
  for (;;) {
    if (!allows(account, await stat(current), enter)) return false;
    const parent = dirname(current);
    if (parent === current) return true;
    current = parent;
  }
}

/** Whether the account may read and, where it is a directory, list and enter this entry itself. */
export async function canOsUserRead(account: PostgresOsUser, path: string): Promise<boolean> {
  const stats = await stat(path);
  return allows(account, stats, stats.isDirectory() ? read | enter : read);
}

function allows(account: PostgresOsUser, stats: Stats, wanted: number): boolean {
  let shift = 0;
  if (stats.uid === account.uid) shift = 6;
  else if (stats.gid === account.gid) shift = 3;
  return ((stats.mode >> shift) & wanted) === wanted;
}

import { spawn, type ChildProcess, type StdioOptions } from "node:child_process";
import { once } from "node:events";
import { DatabaseStartError } from "../database-start-error.ts";
import type { PostgresOsUser } from "./server-account.ts";

/** How a program of PostgreSQL is to be started. */
export interface SpawnAsOsUserOptions {
  readonly account: PostgresOsUser | undefined;
  readonly stdio: StdioOptions;
  /** In a process group and session of its own, so that no Ctrl-C reaches it. */
  readonly detached?: boolean;
}

/**
 * Starts a program under the account, with a small fixed environment (ours holds
 * secrets) and from a directory that every account can enter.
 *
 * @throws DatabaseStartError when the system does not let us
 */
export async function spawnAsOsUser(
  program: string,
  parameters: readonly string[],
  options: SpawnAsOsUserOptions,
): Promise<ChildProcess> {
  const { account, stdio, detached = false } = options;
  const identity = account === undefined ? {} : { uid: account.uid, gid: account.gid };
  const env = { PATH: process.env["PATH"], LC_ALL: "C", TZ: "UTC" };
  const child = spawn(program, parameters, { ...identity, env, cwd: "/", stdio, detached });
  try {
    await once(child, "spawn");
  } catch (error) {
    throw cannotStart(program, account, error);
  }
  return child;
}

function cannotStart(
  program: string,
  account: PostgresOsUser | undefined,
  error: unknown,
): DatabaseStartError {
  const reason = error instanceof Error ? error.message : String(error);
  const who = account === undefined ? "" : ` as ${account.name}`;
  return new DatabaseStartError(
    `Cannot start ${program}${who}: ${reason}. The embedded PostgreSQL needs a glibc Linux or macOS` +
      (account === undefined
        ? ""
        : ", and as root the right to start a program under another account") +
      ". If that cannot be had here, set DATABASE_URL.",
    { cause: error },
  );
}

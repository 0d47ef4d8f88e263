import { readFile } from "node:fs/promises";
import { DatabaseStartError } from "../database-start-error.ts";

/** A user of the operating system that the server runs under. */
export interface PostgresOsUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/**
 * Accounts that own nothing of value, in order of preference. `postgres` first:
 * where it exists it is meant for this, while any daemon may run as `nobody`.
 */
const candidates = ["postgres", "_postgres", "nobody", "daemon"];

/** Whether PostgreSQL would refuse to run under this process's own user. */
export function isRunningAsRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * The unprivileged account for a new cluster. It has to be in the passwd file,
 * because initdb looks its name up; none is ever created.
 */
export async function choosePostgresOsUser(passwdFile = "/etc/passwd"): Promise<PostgresOsUser> {
  const accounts = await readAccounts(passwdFile);
  for (const name of candidates) {
    const account = accounts.find((candidate) => candidate.name === name);
    if (account !== undefined && account.uid !== 0) return account;
  }
  throw new DatabaseStartError(
    `PostgreSQL refuses to run as root and ${passwdFile} has none of the accounts ${candidates.join(", ")}. ` +
      "Start Causeway as an ordinary user, or set DATABASE_URL.",
  );
}

/** The account that owns an existing cluster, whatever would be chosen today. */
export async function readPostgresClusterOwner(
  owner: { uid: number; gid: number },
  passwdFile = "/etc/passwd",
): Promise<PostgresOsUser> {
  const accounts = await readAccounts(passwdFile);
  const account = accounts.find(({ uid }) => uid === owner.uid);
  return account ?? { name: `uid ${owner.uid}`, uid: owner.uid, gid: owner.gid };
}

async function readAccounts(passwdFile: string): Promise<PostgresOsUser[]> {
  const text = await readFile(passwdFile, "utf8").catch(() => "");
  return text.split("\n").flatMap((line) => {
    const [name, , uid, gid] = line.split(":");
    const account = { name: name ?? "", uid: Number(uid), gid: Number(gid) };
    return uid && gid && Number.isInteger(account.uid + account.gid) ? [account] : [];
  });
}

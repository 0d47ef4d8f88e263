import type { Client } from "pg";

/** The role that the services connect as, and the database it owns. It is no superuser: a hole in a statement stays in this database. */
export const applicationRoleName = "causeway";

/** Key of the advisory lock under which the database is made. */
const lockKey = 5_027_740_214;

/**
 * Makes the services' role and database in a new cluster. Several processes may
 * do this at once.
 *
 * @param superuser - a session that goes on to be used, connected to the database `postgres`
 */
export async function ensurePostgresRoleAndDatabase(
  superuser: Client,
  password: string,
): Promise<void> {
  if (await isPrepared(superuser)) return;
  await superuser.query("select pg_advisory_lock($1)", [lockKey]);
  try {
    if (!(await isPrepared(superuser))) await createRoleAndDatabase(superuser, password);
  } finally {
    // Where the session has ended, which is then the failure to tell, the lock is gone with it.
    await superuser.query("select pg_advisory_unlock($1)", [lockKey]).catch(() => undefined);
  }
}

async function isPrepared(client: Client): Promise<boolean> {
  const { rowCount } = await client.query("select from pg_database where datname = $1", [
    applicationRoleName,
  ]);
  return rowCount === 1;
}

async function createRoleAndDatabase(client: Client, password: string): Promise<void> {
  const { rowCount } = await client.query("select from pg_roles where rolname = $1", [
    applicationRoleName,
  ]);
  if (rowCount === 0)
    await client.query(
      `create role ${applicationRoleName} login password ${client.escapeLiteral(password)}`,
    );
  await client.query(`create database ${applicationRoleName} owner ${applicationRoleName}`);
}

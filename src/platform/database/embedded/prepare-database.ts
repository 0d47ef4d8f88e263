import { Client } from "pg";

/** The role that the services connect as, and the database it owns. It is no superuser: a hole in a statement stays in this database. */
export const applicationName = "causeway";

/** Key of the advisory lock under which the database is made. */
const lockKey = 5_027_740_214;

/**
 * Makes the services' role and database in a new cluster. Several processes may
 * do this at once.
 *
 * @param superuserUrl - a connection to the database `postgres`
 */
export async function prepareDatabase(superuserUrl: string, password: string): Promise<void> {
  const client = new Client({ connectionString: superuserUrl, application_name: "causeway setup" });
  await client.connect();
  try {
    if (await isPrepared(client)) return;
    await client.query("select pg_advisory_lock($1)", [lockKey]);
    if (!(await isPrepared(client))) await createRoleAndDatabase(client, password);
  } finally {
    await client.end();
  }
}

async function isPrepared(client: Client): Promise<boolean> {
  const { rowCount } = await client.query("select from pg_database where datname = $1", [
    applicationName,
  ]);
  return rowCount === 1;
}

async function createRoleAndDatabase(client: Client, password: string): Promise<void> {
  const { rowCount } = await client.query("select from pg_roles where rolname = $1", [
    applicationName,
  ]);
  if (rowCount === 0)
    await client.query(
      `create role ${applicationName} login password ${client.escapeLiteral(password)}`,
    );
  await client.query(`create database ${applicationName} owner ${applicationName}`);
}

import { Client } from "pg";
import { newResourceId } from "../../src/platform/ids.ts";

/** Writes a thread without turns into the tables; its name. */
export async function insertThread(connectionString: string, accountId: string): Promise<string> {
  const id = newResourceId("thread");
  const client = new Client({ connectionString });
  await client.connect();
  try {
    await client.query(
      `insert into agent_threads (id, account_id, session, created_at, updated_at, expires_at)
       values ($1, $2, $1, now(), now(), now() + interval '30 days')`,
      [id, accountId],
    );
  } finally {
    await client.end();
  }
  return id;
}

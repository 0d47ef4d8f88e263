import { Client } from "pg";

/** Rows as they are stored, past every entity. */
export async function selectRows(
  connectionString: string,
  sql: string,
  ...parameters: unknown[]
): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql, parameters)).rows;
  } finally {
    await client.end();
  }
}

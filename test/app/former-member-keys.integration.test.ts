import { Client } from "pg";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrations } from "../../src/app/migrations/index.ts";
import { migrateDatabase } from "../../src/platform/database/migrate.ts";
import { createEmptyDatabase, type TestDatabase } from "../support/test-database.ts";

const log = pino({ level: "silent" });
let database: TestDatabase;
let client: Client;

beforeAll(async () => {
  database = await createEmptyDatabase();
  const { connectionString } = database;
  const at = migrations.findIndex(({ name }) => name === "0022-keys-of-former-members");
  await migrateDatabase({ connectionString, migrations: migrations.slice(0, at), log });
  client = new Client({ connectionString });
  await client.connect();
  await client.query(`insert into teams (id, name, share_defaults, share_policy, require_manual_confirm, member_count, created_at)
    values ('team_1', 'Team', '{}', 'members', false, 2, '2026-01-01')`);
});

afterAll(async () => {
  await client.end();
  await database.drop();
});

/** A key of February, and since when and until when its maker is a member of the team. */
async function keyOf(id: string, teamId: string | null, joinedAt: string, leftAt: string | null) {
  await client.query(
    "insert into users (id, email, email_normalised, created_at) values ($1, $1, $1, '2026-01-01')",
    [id],
  );
  await client.query(
    "insert into team_members (team_id, user_id, role, groups, confirmed, joined_at, left_at) values ('team_1', $1, 'member', '{}', true, $2, $3)",
    [id, joinedAt, leftAt],
  );
  await client.query(
    `insert into caller_keys (id, account_id, user_id, team_id, name, prefix, scopes, route, mode, allowed_models, created_at)
     values ($1, coalesce($2, $1), $1, $2, 'key', 'cwk_', '{}', 'auto', 'model', '{}', '2026-02-01')`,
    [id, teamId],
  );
}

test("[limits.former-makers] team keys whose maker left, or left and is back, are revoked by the upgrade", async () => {
  await keyOf("stayed", "team_1", "2026-01-15", null);
  await keyOf("left", "team_1", "2026-01-15", "2026-02-15");
  await keyOf("is-back", "team_1", "2026-03-01", null);
  await keyOf("own-key", null, "2026-01-15", "2026-02-15");
  await migrateDatabase({ connectionString: database.connectionString, migrations, log });
  const { rows } = await client.query(
    "select id from caller_keys where revoked_at is not null order by id",
  );
  expect(rows).toEqual([{ id: "is-back" }, { id: "left" }]);
});

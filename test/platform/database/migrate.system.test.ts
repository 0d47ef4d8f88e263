import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { promisify } from "node:util";
import { Migration } from "@mikro-orm/migrations";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { migrations } from "../../../src/app/migrations/index.ts";
import { migrateDatabase } from "../../../src/platform/database/migrate.ts";
import { createEmptyDatabase, createTestDatabase, execute } from "../../support/test-database.ts";

const log = pino({ level: "silent" });
const run = promisify(execFile);

async function emptyDatabase(): Promise<string> {
  const { connectionString, drop } = await createEmptyDatabase();
  onTestFinished(drop);
  return connectionString;
}

class Works extends Migration {
  override up(): void {
    this.addSql("create table works (id int)");
  }
}

class Fails extends Migration {
  override up(): void {
    this.addSql("create table half (id int)");
    this.addSql("select * from missing");
  }
}

test("four processes at once: each migration runs once", async () => {
  const connectionString = await emptyDatabase();
  const script = join(import.meta.dirname, "processes", "migrate.ts");
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => run(process.execPath, [script, connectionString])),
  );
  const ran = answers.flatMap(({ stdout }) => JSON.parse(stdout) as string[]);
  expect(ran).toEqual(migrations.map(({ name }) => name));
});

test("no migration that databases remember has another name or another place", () => {
  expect(migrations.map(({ name }) => name)).toEqual([
    "0001-change-notification",
    "0002-accounts",
    "0003-endpoints",
    "0004-teams",
    "0005-items",
    "0006-dependency-cache",
    "0007-task-contexts",
    "0008-kept-responses",
    "0009-aliases",
    "0010-ledger",
    "0021-login-renewal",
    "0022-keys-of-former-members",
    "0023-invite-senders",
    "0024-sign-in-links",
    "0025-ended-credentials",
    "0026-audit-actors",
    "0027-endpoint-probes",
    "0028-calls",
    "0029-responses-endpoints",
    "0030-model-times",
    "0031-alias-targets",
    "0032-responses-of-calls",
    "0033-turn-engine",
    "0034-turns",
    "0035-turn-starts",
    "0036-agent-threads",
    "0037-item-tools",
    "0038-waiting-turns",
    "0039-learned-services",
    "0040-leases-of-the-ledger",
    "0041-the-only-dial-of-a-call",
    "0042-turn-answers",
    "0043-fair-turns",
    "0044-turns-behind-the-last",
    "0045-bytes-of-turns",
    "0046-turns-of-concurrent-starts",
  ]);
});

test("a migrated database has nothing left to do", async () => {
  const { connectionString, drop } = await createTestDatabase();
  onTestFinished(drop);
  expect(await migrateDatabase({ connectionString, migrations, log })).toEqual([]);
});

test("each migration is a transaction of its own: what failed leaves nothing, what came before stays", async () => {
  const connectionString = await emptyDatabase();
  const list = [
    { name: "0001-works", load: async () => Works },
    { name: "0002-fails", load: async () => Fails },
  ];
  await expect(migrateDatabase({ connectionString, migrations: list, log })).rejects.toThrow(
    "missing",
  );
  await execute(connectionString, "select id from works");
  await expect(execute(connectionString, "select id from half")).rejects.toThrow("does not exist");
});

test("a database that a newer release migrated is refused, by name", async () => {
  const { connectionString, drop } = await createTestDatabase();
  onTestFinished(drop);
  await execute(connectionString, "insert into schema_migrations (name) values ('9999-later')");
  await expect(migrateDatabase({ connectionString, migrations, log })).rejects.toThrow(
    /newer release of Causeway \(9999-later\)/,
  );
});

test("a server that cannot be used is refused before anything is migrated", async () => {
  const connectionString = "postgresql://someone@127.0.0.1:1/name";
  await expect(migrateDatabase({ connectionString, migrations, log })).rejects.toThrow(
    "Cannot connect to the database 127.0.0.1:1/name",
  );
});

test("a role that may not create tables is told what it lacks", async () => {
  const connectionString = await emptyDatabase();
  const limited = await asLimitedRole(connectionString);
  await expect(
    migrateDatabase({ connectionString: limited.connectionString, migrations, log }),
  ).rejects.toThrow(/may not migrate the database: .*permission denied.*Make it the owner/s);
});

test("a role that may create tables but no schema is told so", async () => {
  const connectionString = await emptyDatabase();
  const { role, connectionString: limited } = await asLimitedRole(connectionString);
  await execute(connectionString, `grant all on schema public to ${role}`);
  await expect(migrateDatabase({ connectionString: limited, migrations, log })).rejects.toThrow(
    /may not migrate the database: .*permission denied for database.*rights to create schemas/s,
  );
});

test("a schema of another program by the name of the engine's is refused, not filled", async () => {
  const connectionString = await emptyDatabase();
  await execute(connectionString, "create schema absurd");
  await expect(migrateDatabase({ connectionString, migrations, log })).rejects.toThrow(
    /schema that Causeway makes for itself: .*"absurd" already exists.*a database of its own/s,
  );
  await expect(execute(connectionString, "select from absurd.queues")).rejects.toThrow("not exist");
});

/** A role that may connect, and what leads to it. */
async function asLimitedRole(superuser: string) {
  const role = `limited_${randomUUID().replaceAll("-", "")}`;
  await execute(superuser, `create role ${role} login password 'limited'`);
  onTestFinished(async () => {
    await execute(superuser, `drop owned by ${role}; drop role ${role}`);
  });
  const url = new URL(superuser);
  url.username = role;
  url.password = "limited";
  return { role, connectionString: url.href };
}

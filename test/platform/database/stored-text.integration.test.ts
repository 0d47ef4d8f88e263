import { defineEntity, p } from "@mikro-orm/postgresql";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openMigratedDatabase, type Database } from "../../../src/platform/database/database.ts";
import { createTestDatabase, execute, type TestDatabase } from "../../support/test-database.ts";

const Note = defineEntity({
  name: "Note",
  tableName: "notes",
  properties: {
    id: p.text().primary(),
    words: p.array(),
    said: p.json<Readonly<Record<string, string>>>(),
  },
});

let server: TestDatabase;
let database: Database;

beforeAll(async () => {
  server = await createTestDatabase();
  const { connectionString } = server;
  await execute(
    connectionString,
    "create table notes (id text primary key, words text[] not null, said jsonb not null)",
  );
  const log = pino({ level: "silent" });
  database = await openMigratedDatabase({ connectionString, entities: [Note], log });
});

afterAll(async () => {
  await database.close();
  await server.drop();
});

const echo = { name: "echo", text: "select $1::text as one, $2::text[] as many" };

describe("a text that PostgreSQL refuses", () => {
  const sent = "a\0b\ud800c";
  const stored = "a\ufffdb\ufffdc";

  it("is stored with U+FFFD in the place of NUL and half a surrogate pair", async () => {
    const said = { [sent]: String.raw`\u0000 \ud800 ${sent}` };
    await database.fork().insert(Note, { id: sent, words: [sent], said });
    const row = await database.fork().findOneOrFail(Note, { id: sent });
    expect(row).toMatchObject({
      id: stored,
      words: [stored],
      said: { [stored]: String.raw`\u0000 \ud800 ${stored}` },
    });
  });

  it("is sent so as the value of a statement of ours, and of a prepared one", async () => {
    expect(await database.fork().execute("select ?::text as one", [sent])).toEqual([
      { one: stored },
    ]);
    expect(await database.runPrepared(echo, [sent, [sent]])).toEqual([
      { one: stored, many: [stored] },
    ]);
  });

  it.each(["'", "\\", "\\'", "a'b\\c?", String.raw`\u0000`, "ü🙂\n\t", "$1", "$&"])(
    "leaves every other text as it is: %j",
    async (text) => {
      const [row] = await database.fork().execute("select ?::text as one", [text]);
      expect(row).toEqual({ one: text });
    },
  );
});

describe("a text of many megabytes", () => {
  it("is quoted in less than a second of processor time", async () => {
    const text = `${"x".repeat(999)}'`.repeat(20_000);
    const start = process.threadCpuUsage();
    const [row] = await database.fork().execute("select length(?) as length", [text]);
    const { user, system } = process.threadCpuUsage(start);
    expect(row).toEqual({ length: text.length });
    expect((user + system) / 1000).toBeLessThan(1000);
  });
});

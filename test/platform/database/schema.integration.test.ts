import { afterAll, beforeAll, expect, test } from "vitest";
import { Client } from "pg";
import { databaseEntities } from "../../../src/app/entities.ts";
import { schemaDifference } from "../../support/schema-difference.ts";
import { createTestDatabase, type TestDatabase } from "../../support/test-database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test("the migrations make what the entities describe", async () => {
  expect(await schemaDifference(database.connectionString, databaseEntities)).toBe("");
});

test("a test database is a copy of the migrated template", async () => {
  const client = new Client({ connectionString: database.connectionString });
  await client.connect();
  const { rows } = await client.query("select name from schema_migrations order by id limit 1");
  await client.end();
  expect(rows).toEqual([{ name: "0001-change-notification" }]);
});

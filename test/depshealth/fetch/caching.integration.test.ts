import type { ServerResponse } from "node:http";
import { MikroORM } from "@mikro-orm/postgresql";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { databaseEntities } from "../../../src/app/entities.ts";
import { PostgresDataSourceDocumentStore } from "../../../src/depshealth/fetch/document-store.ts";
import { buildOrmOptions } from "../../../src/platform/database/orm-options.ts";
import { startFakeSources, type FakeSources } from "../../support/fake-sources/fake-sources.ts";
import { status } from "../../support/fake-sources/faults.ts";
import {
  memoryStore,
  openFacts,
  today,
  type FactsUnderTest,
} from "../../support/fake-sources/open-facts.ts";
import { serveNpm } from "../../support/fake-sources/packages.ts";
import { createTestDatabase, type TestDatabase } from "../../support/test-database.ts";
import { waitUntil } from "../../support/wait-until.ts";

const hour = 60 * 60_000;
const off = ["osv", "depsdev", "ecosystems", "github"];
const reference = { ecosystem: "npm", name: "kept" } as const;

let fake: FakeSources;
beforeAll(async () => {
  fake = await startFakeSources();
});
afterAll(() => fake.close());
beforeEach(() => {
  fake.requests.length = 0;
  serveVersion("1.0.0");
});

function serveVersion(version: string): void {
  serveNpm(fake, { name: "kept", versions: [{ version, at: "2026-01-01T00:00:00Z" }] });
}

describe("a document", () => {
  let facts: FactsUnderTest;
  beforeEach(() => {
    facts = openFacts(fake, { off, store: memoryStore() });
    return () => facts.close();
  });

  it("is not asked for again while it is fresh", async () => {
    const first = await facts.one(reference);
    facts.clock.set(today + hour - 1);
    expect(await facts.one(reference)).toBe(first);
    expect(fake.requests).toHaveLength(1);
  });

  it("is given at once when it is not fresh any more, and asked for meanwhile", async () => {
    await facts.one(reference);
    facts.clock.set(today + 2 * hour);
    fake.delayMs = 50;
    const stale = await facts.one(reference);
    fake.delayMs = 0;
    expect(stale.evidence[0]?.observedAt).toBe(today);
    await waitUntil(() => fake.requests.length === 2);
    await waitUntil(
      async () => (await facts.one(reference)).evidence[0]?.observedAt === today + 2 * hour,
    );
    expect(fake.requests[1]?.headers["if-none-match"]).toBe('"kept"');
    expect(fake.requests).toHaveLength(2);
  });

  it("is waited for when it is too old", async () => {
    await facts.one(reference);
    facts.clock.set(today + 25 * hour);
    fake.serve("/npm/kept", {
      json: { name: "kept", "dist-tags": { latest: "2.0.0" }, versions: { "2.0.0": {} } },
    });
    expect((await facts.one(reference)).latestVersion).toBe("2.0.0");
  });

  it("that is too old still serves when the source fails, with the failure beside it", async () => {
    await facts.one(reference);
    facts.clock.set(today + 48 * hour);
    const repair = fake.fail("/npm/kept", status(500));
    const known = await facts.one(reference);
    expect(known.latestVersion).toBe("1.0.0");
    expect(known.evidence.map(({ ok, observedAt }) => [ok, observedAt])).toEqual([
      [true, today],
      [false, today + 48 * hour],
    ]);
    await facts.one(reference);
    expect(fake.requests).toHaveLength(2);
    repair();
    facts.clock.set(today + 48 * hour + 21_000);
    await waitUntil(async () => (await facts.one(reference)).evidence.length === 1);
  });

  it("serves alone for a day when it cannot be refreshed", async () => {
    await facts.one(reference);
    const repair = fake.fail("/npm/kept", status(500));
    facts.clock.set(today + 2 * hour);
    await facts.one(reference);
    await waitUntil(() => fake.requests.length === 2);
    facts.clock.set(today + 2 * hour + 1000);
    const known = await facts.one(reference);
    repair();
    expect(known.evidence.map(({ ok, observedAt }) => [ok, observedAt])).toEqual([[true, today]]);
    expect(fake.requests).toHaveLength(2);
  });

  it("that is much too old serves no more", async () => {
    await facts.one(reference);
    facts.clock.set(today + 9 * 24 * hour);
    const repair = fake.fail("/npm/kept", status(500));
    expect((await facts.one(reference)).existence).toBe("undetermined");
    repair();
  });

  it("that is missing is believed to be so for minutes only", async () => {
    const missing = { ecosystem: "npm", name: "soon-there" } as const;
    expect((await facts.one(missing)).existence).toBe("not_found");
    serveNpm(fake, { name: "soon-there", versions: [{ version: "1.0.0" }] });
    facts.clock.set(today + 9 * 60_000);
    expect((await facts.one(missing)).existence).toBe("not_found");
    facts.clock.set(today + 11 * 60_000);
    expect((await facts.one(missing)).existence).toBe("found");
  });

  it("with a date only is asked for by its date", async () => {
    const date = "Thu, 01 Jan 2026 00:00:00 GMT";
    const json = { name: "kept", versions: { "1.0.0": {} } };
    fake.serve("/npm/kept", { json, headers: { "last-modified": date } });
    await facts.one(reference);
    facts.clock.set(today + 25 * hour);
    await facts.one(reference);
    expect(fake.requests[1]?.headers["if-modified-since"]).toBe(date);
  });
});

it("does not hold the end up for a source that is slow", async () => {
  const facts = openFacts(fake, { off });
  const waiting: ServerResponse[] = [];
  const repair = fake.fail("/npm/kept", (response) => void waiting.push(response));
  const call = facts.one(reference);
  await waitUntil(() => waiting.length === 1);
  const began = performance.now();
  await facts.close();
  expect(performance.now() - began).toBeLessThan(5000);
  // What it waits for, and asks for again, fails.
  repair();
  const repairAgain = fake.fail("/npm/kept", status(500));
  for (const response of waiting) response.destroy();
  expect((await call).existence).toBe("undetermined");
  repairAgain();
});

describe("the database", () => {
  let database: TestDatabase;
  let orm: MikroORM;
  beforeAll(async () => {
    database = await createTestDatabase();
    orm = await MikroORM.init(buildOrmOptions(database.connectionString, databaseEntities));
  });
  afterAll(async () => {
    await orm.close();
    await database.drop();
  });
  const open = (now: number) =>
    openFacts(fake, {
      off,
      now,
      store: new PostgresDataSourceDocumentStore(() => orm.em.fork(), pino({ level: "silent" })),
    });

  it("keeps what was read over a restart, and gives it to other processes", async () => {
    const first = open(today);
    const known = await first.one(reference);
    await first.close();
    const second = open(today + 1000);
    expect(await second.one(reference)).toEqual(known);
    expect(fake.requests).toHaveLength(1);
    // Another process asks anew; this one takes what it has stored.
    const third = open(today + 25 * hour);
    await third.one(reference);
    await third.close();
    second.clock.set(today + 25 * hour + 1);
    expect((await second.one(reference)).evidence[0]?.observedAt).toBe(today + 25 * hour);
    expect(fake.requests).toHaveLength(2);
    await second.close();
  });

  it("gets rid of what is kept no longer", async () => {
    const store = new PostgresDataSourceDocumentStore(
      () => orm.em.fork(),
      pino({ level: "silent" }),
    );
    await store.deleteExpired(today + 30 * 24 * hour);
    const facts = open(today);
    await facts.one(reference);
    expect(fake.requests).toHaveLength(1);
    await facts.close();
  });

  it("is not needed", async () => {
    const broken = new PostgresDataSourceDocumentStore(
      () => {
        throw new Error("away");
      },
      pino({ level: "silent" }),
    );
    const facts = openFacts(fake, { off, store: broken });
    expect((await facts.one(reference)).existence).toBe("found");
    await facts.close();
  });
});

import type { EntityManager } from "@mikro-orm/postgresql";
import { pino } from "pino";
import { expect, it } from "vitest";
import { PostgresDataSourceDocumentStore } from "../../../src/depshealth/fetch/document-store.ts";
import type { StoredDataSourceDocument } from "../../../src/depshealth/fetch/stored-document-reader.ts";

const mebi = 1024 * 1024;

function rowOf(id: string, characters: number): StoredDataSourceDocument {
  const now = new Date();
  const times = { observedAt: now, freshUntil: now, keptUntil: now };
  return { id, document: "x".repeat(characters), etag: null, lastModified: null, ...times };
}

/** A store on a database with these rows, and what happened: statements with their ids, ids that callers received. */
function openStore(rows: readonly StoredDataSourceDocument[]) {
  const events: string[] = [];
  const em = {
    execute: async (_: string, [ids]: readonly [string]) =>
      rows
        .filter(({ id }) => (JSON.parse(ids) as string[]).includes(id))
        .map(({ id, document }) => ({ id, bytes: document?.length ?? null })),
    find: async (_: unknown, { id: { $in } }: { id: { $in: readonly string[] } }) => {
      events.push(`read ${$in.join(" ")}`);
      return rows.filter(({ id }) => $in.includes(id));
    },
  };
  const store = new PostgresDataSourceDocumentStore(
    () => em as unknown as EntityManager,
    pino({ level: "silent" }),
  );
  const ask = async (...ids: readonly string[]) => {
    const found = await store.read(ids);
    events.push(`give ${ids.filter((id) => found.has(id)).join(" ")}`);
  };
  return { ask, events };
}

it("PostgresDataSourceDocumentStore reads at most 4 MiB with one statement, and gives them to callers before it reads more", async () => {
  const { ask, events } = openStore([
    rowOf("large", 9 * mebi),
    rowOf("a", 2 * mebi),
    rowOf("small", 10),
    rowOf("b", 3 * mebi),
  ]);
  await Promise.all([ask("large"), ask("a"), ask("missing"), ask("small"), ask("b")]);
  expect(events).toEqual([
    "read small a",
    "give ",
    "give small",
    "give a",
    "read b",
    "give b",
    "read large",
    "give large",
  ]);
});

it("PostgresDataSourceDocumentStore reads for one caller at a time where callers ask at different times", async () => {
  const rows = Array.from({ length: 6 }, (_, index) => rowOf(`${index}`, 4 * mebi));
  const { ask, events } = openStore(rows);
  const first = Promise.all([ask("0"), ask("1"), ask("2")]);
  await new Promise((resolve) => setImmediate(resolve));
  await Promise.all([first, ask("3"), ask("4"), ask("5")]);
  expect(events).toHaveLength(12);
  for (let index = 0; index < events.length; index += 2) {
    expect(events[index + 1]).toBe(events[index]?.replace("read", "give"));
  }
});

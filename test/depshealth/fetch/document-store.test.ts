import type { EntityManager } from "@mikro-orm/postgresql";
import { pino } from "pino";
import { expect, it } from "vitest";
import {
  PostgresDataSourceDocumentStore,
  type StoredDocument,
} from "../../../src/depshealth/fetch/document-store.ts";

const mebi = 1024 * 1024;

function rowOf(id: string, characters: number): StoredDocument {
  const now = new Date();
  return {
    id,
    document: "x".repeat(characters),
    etag: null,
    lastModified: null,
    observedAt: now,
    freshUntil: now,
    keptUntil: now,
  };
}

/** A store on a database that keeps the ids of each statement. */
function openStore() {
  const statements: string[][] = [];
  const upsertMany = async (_: unknown, rows: readonly StoredDocument[]) =>
    void statements.push(rows.map(({ id }) => id));
  const fork = () => ({ upsertMany }) as unknown as EntityManager;
  return {
    store: new PostgresDataSourceDocumentStore(fork, pino({ level: "silent" })),
    statements,
  };
}

it("PostgresDataSourceDocumentStore holds 32 Mi characters that wait to be written, and writes 4 Mi at once", async () => {
  const { store, statements } = openStore();
  for (let row = 0; row < 40; row++) store.write(rowOf(`${row}`, mebi));
  // A newer one takes the place of the one that waits.
  store.write(rowOf("0", mebi));
  await store.close();
  expect(statements.flat()).toHaveLength(32);
  expect(statements.every((ids) => ids.length <= 4)).toBe(true);
  store.write(rowOf("more", 5 * mebi));
  store.write(rowOf("last", 1));
  await store.close();
  expect(statements.slice(-2)).toEqual([["more"], ["last"]]);
});

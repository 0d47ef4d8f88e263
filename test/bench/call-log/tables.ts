import { pino } from "pino";
import { CallLog } from "../../../src/call-log/call-log.ts";
import { maintainCallLogPartitions } from "../../../src/call-log/call-partitions.ts";
import type { LoggedCall } from "../../../src/call-log/call.entity.ts";
import { findLoggedCall, findCallLogPage } from "../../../src/call-log/find-calls.ts";
import type { Database } from "../../../src/platform/database/database.ts";
import type { Page, PageRequest } from "../../../src/platform/pagination.ts";
import { loadUsageByCall } from "../../../src/wallet/usage-by-call.ts";
import { keptCall } from "../../call-log/call-writer.ts";
import { tableOf, type Table } from "../report/table.ts";
import { median } from "../statistics.ts";
import { pageCases, type PageCase } from "./cases.ts";
import { databaseTime } from "./database-time.ts";

/** Makes a table of the filled database, at a time in its last day. */
export type MakeTable = (database: Database, now: number) => Promise<Table>;

const firstPage: PageRequest = { limit: 20, direction: "after", cursor: undefined };

/** Database time of a page of each filter, of what the ledger adds to it, and of one call. */
export const pageTable: MakeTable = async (database, now) => {
  const measured: (readonly [name: string, index: string, rows: number, ms: number])[] = [];
  for (const each of pageCases) {
    const request = each.isDeep === true ? await deepRequest(database, each, now) : firstPage;
    const read = () => readPage(database, each, request);
    measured.push([each.name, each.index, (await read()).rows.length, await databaseTime(read)]);
  }
  const ids = await idsOfHundred(database);
  const used = () => loadUsageByCall(database.fork(), ids);
  measured.push([
    "what 100 calls used, of the ledger",
    "primary keys",
    100,
    await databaseTime(used),
  ]);
  const one = () =>
    findLoggedCall(database.fork(), ["user_".padEnd(31, "0")], undefined, ids[0] ?? "");
  measured.push(["one call by its id", "primary keys", 1, await databaseTime(one)]);
  return tableOf(
    "Pages of 20",
    "Planning and execution of all statements, median of five after a first.",
    [
      { heading: "asked for", cell: ([name]) => name },
      { heading: "index", cell: ([, index]) => index },
      { heading: "rows", cell: ([, , rows]) => rows.toString() },
      { heading: "ms", cell: ([, , , ms]) => ms.toFixed(2) },
    ],
    measured,
  );
};

/** What the table and its indexes weigh. */
export const sizeTable: MakeTable = async (database) => {
  const sizes = await database.fork().execute<{ name: string; bytes: string }[]>(
    `select coalesce("parent"."relname", 'the calls themselves') as "name",
       sum(pg_relation_size("part"."oid")) as "bytes"
     from "pg_partition_tree"('calls') as "tree"
     join "pg_class" as "day" on "day"."oid" = "tree"."relid" and "tree"."isleaf"
     cross join lateral (
       select "day"."oid", null::oid as "parent" union all
       select "indexrelid", "inhparent" from "pg_index" join "pg_inherits" on "inhrelid" = "indexrelid"
       where "indrelid" = "day"."oid"
     ) as "part"
     left join "pg_class" as "parent" on "parent"."oid" = "part"."parent"
     group by 1 order by 2 desc`,
  );
  return tableOf(
    "On the disk",
    "All days together.",
    [
      { heading: "what", cell: ({ name }) => name },
      { heading: "MB", cell: ({ bytes }) => (Number(bytes) / 1e6).toFixed(0) },
    ],
    sizes,
  );
};

/** How fast calls are written into the filled tables, and how fast a day is made and dropped. */
export const changeTable: MakeTable = async (database, now) => {
  const plain = await writeMs(database, now, undefined);
  const tagged = await writeMs(database, now, { project: "alpha", env: "prod" });
  const began = performance.now();
  await maintainCallLogPartitions(database.fork(), now + 24 * 60 * 60_000, 30);
  const renewed = performance.now() - began;
  return tableOf(
    "Changes",
    "As the process waits for them.",
    [
      { heading: "what", cell: ([what]) => what },
      { heading: "ms", cell: ([, ms]) => ms.toFixed(0) },
    ],
    [
      ["1000 calls and what they used", plain],
      ["the same with two tags each", tagged],
      ["the day's renewal: one day dropped, three made", renewed],
    ] as const,
  );
};

async function writeMs(database: Database, now: number, tags: Record<string, string> | undefined) {
  const calls = new CallLog({ fork: () => database.fork(), log: pino({ level: "silent" }) });
  const times: number[] = [];
  for (let turn = 0; turn < 21; turn += 1) {
    const accountId = `user_${String(turn).padStart(26, "0")}`;
    const keyId = `key_${String(turn * 10).padStart(26, "0")}`;
    const noted = Array.from({ length: 999 }, () =>
      keptCall({ accountId, keyId, endedAt: now, tags }),
    );
    for (const call of noted) calls.record(call);
    const began = performance.now();
    await calls.flush();
    times.push(performance.now() - began);
  }
  return median(times) ?? 0;
}

function readPage(
  database: Database,
  { scope, filters }: PageCase,
  request: PageRequest,
): Promise<Page<LoggedCall>> {
  return findCallLogPage(database.fork(), scope, filters, request, 0);
}

/** The page after the first call before the middle of the month. */
async function deepRequest(database: Database, each: PageCase, now: number): Promise<PageRequest> {
  const to = new Date(now - 15 * 24 * 60 * 60_000);
  const filters = { ...each.filters, range: { ...each.filters.range, to } };
  const { rows } = await readPage(database, { ...each, filters }, firstPage);
  return { ...firstPage, cursor: rows[0]?.id };
}

async function idsOfHundred(database: Database): Promise<string[]> {
  const hundred = { ...firstPage, limit: 100 };
  const [first] = pageCases;
  if (first === undefined) throw new Error("there is no case");
  return (await readPage(database, first, hundred)).rows.map(({ id }) => id);
}

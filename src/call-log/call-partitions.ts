import type { EntityManager } from "@mikro-orm/postgresql";
import { takeAdvisoryLock } from "../platform/database/advisory-lock.ts";

const dayMs = 24 * 60 * 60_000;

/** Days that are made before they begin: who makes them may be away for so long. */
const daysAhead = 2;

/**
 * Makes the days from now on, and drops those that ended more than `keptDays` ago. To
 * be called now and then, by any process.
 */
export async function maintainCallLogPartitions(
  em: EntityManager,
  now: number,
  keptDays: number,
): Promise<void> {
  const coming = Array.from({ length: daysAhead + 1 }, (_, ahead) => now + ahead * dayMs);
  await createMissingCallLogPartitions(em, coming);
  await dropPartitions(em, now - keptDays * dayMs);
}

/** Makes the days of these times, milliseconds since the epoch, where they are missing. */
export async function createMissingCallLogPartitions(
  em: EntityManager,
  times: readonly number[],
): Promise<void> {
  const days = new Set(times.map(toEpochDay));
  const there = new Set(await partitionNames(em));
  const missing = [...days].filter((day) => !there.has(nameOf(day)));
  const statements = missing.map(
    (day) =>
      `create table if not exists "${nameOf(day)}" partition of "calls"
         for values from ('${dateOf(day)}T00:00Z') to ('${dateOf(day + 1)}T00:00Z')`,
  );
  await change(em, statements);
}

/** Days since the epoch. */
export function toEpochDay(time: number): number {
  return Math.floor(time / dayMs);
}

/** Drops the days that were over at a time: nothing is deleted row by row. */
async function dropPartitions(em: EntityManager, time: number): Promise<void> {
  const first = nameOf(toEpochDay(time));
  const past = (await partitionNames(em)).filter((name) => name < first);
  await change(
    em,
    past.map((name) => `drop table if exists "${name}"`),
  );
}

/**
 * One statement per transaction, one process at a time. Each waits for whoever uses the
 * calls, and everybody else behind it: not for long, because it is tried again.
 */
async function change(em: EntityManager, statements: readonly string[]): Promise<void> {
  for (const statement of statements) {
    await em.transactional(async (tx) => {
      await takeAdvisoryLock(tx, "partitions of calls");
      await tx.execute("set local lock_timeout = '1s'");
      await tx.execute(statement);
    });
  }
}

async function partitionNames(em: EntityManager): Promise<string[]> {
  const rows = await em.execute<{ name: string }[]>(
    `select "relname" as "name" from "pg_inherits" join "pg_class" on "oid" = "inhrelid"
     where "inhparent" = 'calls'::regclass order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** `calls_2026_11_20`; the names sort as the days do. */
function nameOf(day: number): string {
  return `calls_${dateOf(day).replaceAll("-", "_")}`;
}

function dateOf(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}

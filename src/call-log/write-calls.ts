import type { EntityManager } from "@mikro-orm/postgresql";
import type { Logger } from "pino";
import { addPartitions } from "./call-partitions.ts";
import { insertCalls } from "./insert-calls.ts";

/**
 * Writes the rows of calls. One that the database does not take would keep all others
 * from being written: then they are written one by one, and that one is lost.
 */
export async function writeCalls(
  fork: () => EntityManager,
  rows: readonly string[],
  log: Logger,
): Promise<void> {
  try {
    await insertWithDays(fork(), rows);
  } catch (error) {
    if (!isAboutData(error)) throw error;
    for (const row of rows) {
      await insertWithDays(fork(), [row]).catch((cause: unknown) => {
        if (!isAboutData(cause)) throw cause;
        log.error({ err: cause }, "a call is lost: the database does not take it");
      });
    }
  }
}

/** The days are there, as long as somebody makes them in time; a row needs no luck. */
async function insertWithDays(em: EntityManager, rows: readonly string[]): Promise<void> {
  try {
    await insertCalls(em, rows);
  } catch (error) {
    if (!isWithoutDay(error)) throw error;
    await addPartitions(em, rows.map(endOf));
    await insertCalls(em, rows);
  }
}

/** When the call of a row ended, in milliseconds since the epoch. */
export function endOf(row: string): number {
  return (JSON.parse(row) as { readonly ended: number }).ended;
}

/** SQLSTATEs of data that a column cannot hold (22) and that a constraint forbids (23). */
function isAboutData(error: unknown): boolean {
  return /^2[23]\w{3}$/.test(stateOf(error));
}

/** A violated check (23514), and the table has none but that each row needs a partition. */
function isWithoutDay(error: unknown): boolean {
  return stateOf(error) === "23514";
}

function stateOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

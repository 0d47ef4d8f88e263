import type { EntityManager } from "@mikro-orm/postgresql";
import type { Logger } from "pino";
import { addPartitions } from "./call-partitions.ts";
import { insertCalls } from "./insert-calls.ts";

/**
 * Writes the rows of calls, which are a JSON array. One that the database does not take
 * would keep all others from being written: then they are written one by one, and that
 * one is lost.
 */
export async function writeCalls(
  fork: () => EntityManager,
  rows: Buffer,
  log: Logger,
): Promise<void> {
  try {
    await insertWithDays(fork(), rows);
  } catch (error) {
    if (!isAboutData(error)) throw error;
    for (const row of readRows(rows)) {
      await insertWithDays(fork(), Buffer.from(JSON.stringify([row]))).catch((cause: unknown) => {
        if (!isAboutData(cause)) throw cause;
        log.error({ err: cause }, "a call is lost: the database does not take it");
      });
    }
  }
}

/** The days are there, as long as somebody makes them in time; a row needs no luck. */
async function insertWithDays(em: EntityManager, rows: Buffer): Promise<void> {
  try {
    await insertCalls(em, rows);
  } catch (error) {
    if (!isWithoutDay(error)) throw error;
    await addPartitions(
      em,
      readRows(rows).map(({ ended }) => ended),
    );
    await insertCalls(em, rows);
  }
}

function readRows(rows: Buffer): readonly { readonly ended: number }[] {
  return JSON.parse(rows.toString()) as readonly { readonly ended: number }[];
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

import type { EntityManager } from "@mikro-orm/postgresql";
import type { Logger } from "pino";
import { createMissingCallLogPartitions } from "./call-partitions.ts";
import { callLogInsertColumns, callLogInsertFieldSeparator } from "./call-row-text.ts";
import { insertCallLogLines } from "./insert-calls.ts";

/**
 * Writes calls, a line each. One that the database does not take
 * would keep all others from being written: then they are written one by one, and that
 * one is lost.
 */
export async function insertValidCallLogLines(
  fork: () => EntityManager,
  lines: Buffer,
  log: Logger,
): Promise<void> {
  try {
    await insertCreatingPartitions(fork(), lines);
  } catch (error) {
    if (!isAboutData(error)) throw error;
    for (const line of linesOf(lines)) {
      await insertCreatingPartitions(fork(), Buffer.from(line)).catch((cause: unknown) => {
        if (!isAboutData(cause)) throw cause;
        log.error({ err: cause }, "a call is lost: the database does not take it");
      });
    }
  }
}

/** The days are there, as long as somebody makes them in time; a row needs no luck. */
async function insertCreatingPartitions(em: EntityManager, lines: Buffer): Promise<void> {
  try {
    await insertCallLogLines(em, lines);
  } catch (error) {
    if (!isMissingPartition(error)) throw error;
    await createMissingCallLogPartitions(em, linesOf(lines).map(endOf));
    await insertCallLogLines(em, lines);
  }
}

function linesOf(lines: Buffer): readonly string[] {
  return lines.toString().split("\n");
}

const endColumn = callLogInsertColumns.findIndex(([name]) => name === "ended");

/** When the call ended, milliseconds since the epoch. */
function endOf(line: string): number {
  return Number(line.split(callLogInsertFieldSeparator)[endColumn]);
}

/** SQLSTATEs of data that a column cannot hold (22) and that a constraint forbids (23). */
function isAboutData(error: unknown): boolean {
  return /^2[23]\w{3}$/.test(stateOf(error));
}

/** A violated check (23514), and the table has none but that each row needs a partition. */
function isMissingPartition(error: unknown): boolean {
  return stateOf(error) === "23514";
}

function stateOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

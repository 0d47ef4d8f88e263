import type { EntityManager } from "@mikro-orm/postgresql";
import type { Logger } from "pino";
import type { Clock } from "../platform/clock.ts";
import type { UnpaidCall } from "../kernel/reservation.ts";
import { RowSlab, separateRows, type RowParameters } from "./row-slab.ts";
import { storableJson, storableUsage } from "../kernel/storable-json.ts";
import { printedInstant } from "../platform/printed-milliseconds.ts";
import { quoted } from "../platform/quoted.ts";
import { BatchLog } from "../platform/database/batch-log.ts";

export interface UsageLogOptions {
  readonly fork: () => EntityManager;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Full slabs that wait for a database that is away or too slow; beyond this the oldest rows are lost. */
const slabsAtMost = 100;

/** Slabs that are kept for reuse. */
const spareAtMost = 4;

/** A full one is written soon: those that wait are memory that is touched anew. */
const fullWaitMs = 10;

/** Rows lie here at most this long. */
const closeMs = 500;

/** Writes the usage of calls that reserve nothing, many rows in one statement, off their path. */
export class UsageLog {
  readonly #slabs: BatchLog<RowSlab>;
  readonly #spare: RowSlab[] = [];
  #open = new RowSlab();
  #timer: NodeJS.Timeout | undefined;

  constructor({ fork, clock, log }: UsageLogOptions) {
    const write = async ([slab]: readonly RowSlab[]): Promise<void> => {
      if (slab === undefined) return;
      await writeRows({ fork, clock, log }, slab.parameters());
      this.#reuse(slab);
    };
    const [rowsAtOnce, waitingAtMost] = [1, slabsAtMost];
    this.#slabs = new BatchLog({
      write,
      log,
      what: "usage",
      rowsAtOnce,
      waitingAtMost,
      waitMs: fullWaitMs,
    });
  }

  /** Notes a call that has ended; never throws. */
  note(call: UnpaidCall): void {
    const [common, members] = [commonText(call), membersText(call)];
    if (!this.#open.add(common, members)) {
      this.#close();
      this.#open.add(common, members);
    }
    if (this.#open.isFull) this.#close();
    else this.#timer ??= setTimeout(() => void this.flush(), closeMs).unref();
  }

  /** Writes what waits; resolves when it is written or has failed. */
  flush(): Promise<void> {
    this.#close();
    return this.#slabs.flush();
  }

  #close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#open.isEmpty) return;
    this.#slabs.note(this.#open);
    this.#open = this.#spare.pop() ?? new RowSlab();
  }

  #reuse(slab: RowSlab): void {
    slab.clear();
    if (this.#spare.length < spareAtMost) this.#spare.push(slab);
    else slab.release();
  }
}

/**
 * One row that the database does not take would keep all others from being
 * written: then they are written one by one, and that one is lost.
 */
async function writeRows(
  { fork, clock, log }: UsageLogOptions,
  rows: RowParameters,
): Promise<void> {
  const now = new Date(clock.now());
  try {
    await insertRows(fork(), rows, now);
  } catch (error) {
    if (!isAboutData(error)) throw error;
    for (const row of separateRows(rows)) {
      await insertRows(fork(), row, now).catch((cause: unknown) => {
        if (!isAboutData(cause)) throw cause;
        log.error({ err: cause }, "the usage of a call is lost: the database does not take it");
      });
    }
  }
}

/** SQLSTATEs of data that a column cannot hold (22) and that a constraint forbids (23). */
function isAboutData(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^2[23]\w{3}$/.test(String(error.code));
}

/**
 * A batch that was written although its answer was lost is not written twice.
 * Past the mapper, which would copy the rows into the text of the statement.
 */
async function insertRows(
  em: EntityManager,
  { rows, common }: RowParameters,
  now: Date,
): Promise<void> {
  const pool = await em.getConnection().getNativeClient();
  await pool.query(
    `insert into "ledger_entries" (
       "id", "account_id", "key_id", "model", "route", "state", "reserved_nano", "cost_nano",
       "input_tokens", "cached_input_tokens", "output_tokens", "estimated", "usage", "started_at", "ended_at"
     )
     select "id", "account_id", "key_id", "model", 'byo', 'settled', 0, 0,
       "input", "cached", "output", "estimated", "usage", to_timestamp("started" / 1000), $1
     from jsonb_to_recordset($2::jsonb) as "call" (
       "common" integer, "id" text, "input" bigint, "cached" bigint, "output" bigint,
       "estimated" boolean, "usage" jsonb, "started" double precision
     )
     join rows from (
       jsonb_to_recordset($3::jsonb) as ("account_id" text, "key_id" text, "model" text)
     ) with ordinality as "caller" ("account_id", "key_id", "model", "place")
       on "place" = "common"
     on conflict do nothing`,
    [now, rows, common],
  );
}

/** Written member by member, as the next: ids are of ours and need no escaping. */
function commonText(call: UnpaidCall): string {
  return (
    `{"account_id":"${call.accountId}","key_id":"${call.keyId}"` +
    `,"model":${storableJson(quoted(call.model))}}`
  );
}

function membersText(call: UnpaidCall): string {
  return (
    `"id":"${call.id}","input":${call.inputTokens},"cached":${call.cachedInputTokens}` +
    `,"output":${call.outputTokens},"estimated":${call.isEstimated}` +
    `,"usage":${storableUsage(call.raw)}` +
    `,"started":${printedInstant(call.startedAt)}`
  );
}

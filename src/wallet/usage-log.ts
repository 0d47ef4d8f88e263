import type { EntityManager } from "@mikro-orm/postgresql";
import type { Logger } from "pino";
import type { Clock } from "../platform/clock.ts";
import { quoted } from "../platform/quoted.ts";
import { BatchLog } from "../platform/database/batch-log.ts";

/** A call on the caller's own credential, which costs nothing here. */
export interface UnpaidCall {
  /** `call_…`. */
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string;
  /** Canonical id. */
  readonly model: string;
  /** Caches included. */
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly isEstimated: boolean;
  /** The vendor's own usage object. */
  readonly raw: unknown;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

export interface UsageLogOptions {
  readonly fork: () => EntityManager;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * In one statement. Its text is copied a few times on its way: strings from 128 KB
 * on would stay until a full collection (measured with 500 rows: 90 MB more).
 */
const rowsAtOnce = 200;

const waitingAtMost = 100_000;

/**
 * Writes the usage of calls that reserve nothing, many rows in one statement, off
 * their path. What waits is kept as text: as objects it would be copied from
 * generation to generation by the garbage collector, a third of a busy server's time.
 */
export class UsageLog {
  /** Rows as JSON. */
  readonly #rows: BatchLog<string>;

  constructor({ fork, clock, log }: UsageLogOptions) {
    const write = (rows: readonly string[]): Promise<void> =>
      insertRows(fork(), rows, new Date(clock.now()));
    this.#rows = new BatchLog({ write, log, what: "usage", rowsAtOnce, waitingAtMost });
  }

  /** Notes a call that has ended; never throws. */
  note(call: UnpaidCall): void {
    this.#rows.note(rowText(call));
  }

  /** Writes what waits; resolves when it is written or has failed. */
  flush(): Promise<void> {
    return this.#rows.flush();
  }
}

/**
 * A batch that was written although its answer was lost is not written twice.
 * Past the mapper, which would copy the rows into the text of the statement.
 */
async function insertRows(em: EntityManager, rows: readonly string[], now: Date): Promise<void> {
  const pool = await em.getConnection().getNativeClient();
  await pool.query(
    `insert into "ledger_entries" (
       "id", "account_id", "key_id", "model", "route", "state", "reserved_nano", "cost_nano",
       "input_tokens", "cached_input_tokens", "output_tokens", "estimated", "usage", "started_at", "ended_at"
     )
     select "id", "account_id", "key_id", "model", 'byo', 'settled', 0, 0,
       "input", "cached", "output", "estimated", "usage", to_timestamp("started" / 1000), $1
     from jsonb_to_recordset($2::jsonb) as "call" (
       "id" text, "account_id" text, "key_id" text, "model" text, "input" bigint, "cached" bigint,
       "output" bigint, "estimated" boolean, "usage" jsonb, "started" double precision
     )
     on conflict do nothing`,
    [now, `[${rows.join(",")}]`],
  );
}

/** Written member by member: ids are of ours and need no escaping. */
function rowText(call: UnpaidCall): string {
  return (
    `{"id":"${call.id}","account_id":"${call.accountId}","key_id":"${call.keyId}"` +
    `,"model":${quoted(call.model)},"input":${call.inputTokens},"cached":${call.cachedInputTokens}` +
    `,"output":${call.outputTokens},"estimated":${call.isEstimated}` +
    `,"usage":${JSON.stringify(call.raw ?? null)},"started":${call.startedAt}}`
  );
}

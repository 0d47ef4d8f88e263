import type { EntityManager } from "@mikro-orm/postgresql";
import type { Logger } from "pino";
import type { Clock } from "../platform/clock.ts";

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

/** Rows lie here at most this long. */
const flushMs = 500;

const retryMs = 2000;

/** In one statement: its text is copied a few times on its way. */
const rowsAtOnce = 500;

/** Rows that wait for a database that is away; beyond this the oldest are lost. */
const waitingAtMost = 100_000;

/**
 * Writes the usage of calls that reserve nothing, many rows in one statement, off
 * their path. What waits is kept as text: as objects it would be copied from
 * generation to generation by the garbage collector, a third of a busy server's time.
 */
export class UsageLog {
  readonly #options: UsageLogOptions;
  /** Rows as JSON. */
  #waiting: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: UsageLogOptions) {
    this.#options = options;
  }

  /** Notes a call that has ended; never throws. */
  note(call: UnpaidCall): void {
    this.#waiting.push(rowText(call));
    this.#timer ??= setTimeout(() => void this.flush(), flushMs).unref();
  }

  /** Writes what waits; resolves when it is written or has failed. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    // What comes meanwhile is for the next time, or a busy server would never be done.
    for (let left = this.#waiting.length; left > 0; left -= rowsAtOnce) {
      const rows = this.#waiting.splice(0, Math.min(left, rowsAtOnce));
      try {
        await insertRows(this.#options.fork(), rows, new Date(this.#options.clock.now()));
      } catch (error) {
        this.#options.log.warn(
          { err: error, calls: rows.length },
          "usage could not be written yet",
        );
        this.#waiting = [...rows, ...this.#waiting].slice(-waitingAtMost);
        this.#timer ??= setTimeout(() => void this.flush(), retryMs).unref();
        return;
      }
    }
  }
}

/** A batch that was written although its answer was lost is not written twice. */
async function insertRows(em: EntityManager, rows: readonly string[], now: Date): Promise<void> {
  await em.execute(
    `insert into "ledger_entries" (
       "id", "account_id", "key_id", "model", "route", "state", "reserved_nano", "cost_nano",
       "input_tokens", "cached_input_tokens", "output_tokens", "estimated", "usage", "started_at", "ended_at"
     )
     select "id", "account_id", "key_id", "model", 'byo', 'settled', 0, 0,
       "input", "cached", "output", "estimated", "usage", "started", ?
     from jsonb_to_recordset(?::jsonb) as "call" (
       "id" text, "account_id" text, "key_id" text, "model" text, "input" bigint, "cached" bigint,
       "output" bigint, "estimated" boolean, "usage" jsonb, "started" timestamptz
     )
     on conflict do nothing`,
    [now, `[${rows.join(",")}]`],
  );
}

function rowText(call: UnpaidCall): string {
  return JSON.stringify({
    id: call.id,
    account_id: call.accountId,
    key_id: call.keyId,
    model: call.model,
    input: call.inputTokens,
    cached: call.cachedInputTokens,
    output: call.outputTokens,
    estimated: call.isEstimated,
    usage: call.raw ?? null,
    started: new Date(call.startedAt),
  });
}

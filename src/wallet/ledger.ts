import { setTimeout as delay } from "node:timers/promises";
import type { EntityManager } from "@mikro-orm/postgresql";
import type { Logger } from "pino";
import type { Clock } from "../platform/clock.ts";
import { toDatabaseUnavailableError } from "../platform/database/database-unavailable.ts";
import type {
  PreparedStatement,
  PreparedStatementRunner,
} from "../platform/database/prepared-statement.ts";
import { ApiError } from "../platform/errors.ts";
import { budgetWindowKey } from "./budget-window.ts";
import { computeCallCostNano } from "../domain/compute-cost.ts";
import type {
  CreditsReservation,
  CreditsReservationRequest,
  CallTokenUsage,
} from "../domain/reservation.ts";
import { serializeRawUsageOrNull } from "../domain/storable-usage.ts";

export interface WalletLedgerDependencies {
  readonly fork: () => EntityManager;
  readonly runPrepared: PreparedStatementRunner;
  readonly clock: Clock;
  readonly log: Logger;
  /** Where a caller adds credits or links a credential of its own. */
  readonly byoUrl: () => string;
}

/** How long a settlement waits for a database that is away before it tries again. */
const retryMs = 1000;

const reserveStatement: PreparedStatement = {
  name: "causeway_reserve",
  text: `select causeway_reserve(
    $1, $2, $3, $4, $5, $6, $7, $8::jsonb, $9, $10, $11, $12::jsonb, $13
  ) as "outcome"`,
};

const settleStatement: PreparedStatement = {
  name: "causeway_settle",
  text: `select causeway_settle($1, $2, $3, $4, $5, $6, $7, $8::jsonb, $9) as "ended"`,
};

/** How long money stays held for a process that says nothing more. */
const leaseMs = 60_000;

/** Reserves and charges. */
export class WalletLedger {
  readonly #dependencies: WalletLedgerDependencies;
  readonly #closing = new AbortController();
  /** Entries that are being ended. */
  readonly #ending = new Set<Promise<void>>();

  constructor(dependencies: WalletLedgerDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Holds the most that a call can cost, in one statement. Throws 402 `byo_url`
   * when the wallet or the key's budget does not have it, 503 without a database.
   */
  async reserve(request: CreditsReservationRequest): Promise<CreditsReservation> {
    const amount = computeCallCostNano(request.price, request.tokens);
    const outcome = await this.#hold(request, amount);
    if (outcome !== "held") throw spent(outcome, this.#dependencies.byoUrl());
    return {
      checkpoint: (used) => this.#checkpoint(request, used),
      settle: (used, within) => this.#endHeld(request, "settled", used, within),
      release: (within) => this.#endHeld(request, "released", nothingUsed, within),
    };
  }

  /** Charges, inside a transaction, what a call of a dead process used; one that was swept stays as it is. */
  async settleOrphaned(
    em: EntityManager,
    reservation: Pick<CreditsReservationRequest, "id" | "price">,
    used: CallTokenUsage,
  ): Promise<void> {
    await this.#endInTransaction(em, this.#values(reservation, "settled", used));
  }

  /**
   * Charges what calls of dead processes had used when they last said so, and
   * gives the rest back. Any process may do it at any time; the number of calls.
   */
  async sweep(): Promise<number> {
    let swept = 0;
    while (await this.#sweepOne()) swept += 1;
    return swept;
  }

  /**
   * One call in a transaction: with several, a sweep would hold the wallet of one and
   * wait for the budget of the next, which a reserve takes the other way round. Entries
   * that another process sweeps, or renews, right now are left to it.
   */
  async #sweepOne(): Promise<boolean> {
    const { fork, clock } = this.#dependencies;
    const now = new Date(clock.now());
    const rows = await fork().execute(
      `with "over" as (
         select * from "ledger_entries" where "state" = 'held' and "lease_until" < ?
         order by "lease_until" limit 1 for update skip locked
       )
       select causeway_settle("id", 'settled', "cost_nano", "input_tokens", "cached_input_tokens",
         "output_tokens", true, "usage", ?) from "over"`,
      [now, now],
    );
    return rows.length > 0;
  }

  async #hold(request: CreditsReservationRequest, amount: bigint): Promise<string> {
    const { runPrepared, clock } = this.#dependencies;
    const now = clock.now();
    const {
      id,
      accountId,
      keyId,
      model,
      budget,
      price,
      callId,
      tags,
      isRepeated = false,
    } = request;
    const values = [
      id,
      accountId,
      keyId,
      model,
      amount.toString(),
      budget?.limitNanoUsd ?? null,
      budget === undefined ? null : budgetWindowKey(budget.window, now),
      JSON.stringify(price),
      new Date(now),
      new Date(now + leaseMs),
      callId ?? null,
      tags === undefined ? null : JSON.stringify(tags),
      isRepeated,
    ];
    try {
      const [row] = await runPrepared<{ outcome: string }>(reserveStatement, values);
      return row?.outcome ?? "";
    } catch (error) {
      throw toDatabaseUnavailableError(error) ?? error;
    }
  }

  async #checkpoint({ id, price }: CreditsReservationRequest, used: CallTokenUsage): Promise<void> {
    const { fork, clock } = this.#dependencies;
    const { input, cacheRead, cacheWrite, output, raw } = used;
    await fork().execute(
      `update "ledger_entries" set "cost_nano" = ?, "input_tokens" = ?, "cached_input_tokens" = ?,
         "output_tokens" = ?, "usage" = ?::jsonb, "lease_until" = ?
       where "id" = ? and "state" = 'held'`,
      [
        computeCallCostNano(price, used).toString(),
        input + cacheRead + cacheWrite,
        cacheRead,
        output,
        serializeRawUsageOrNull(raw),
        new Date(clock.now() + leaseMs),
        id,
      ],
    );
  }

  /** Waits for what is being written; a database that is away is tried once more, and not waited for. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#ending);
  }

  #track(ending: Promise<void>): Promise<void> {
    this.#ending.add(ending);
    return ending.finally(() => this.#ending.delete(ending));
  }

  async #endHeld(
    reservation: CreditsReservationRequest,
    state: EndState,
    used: CallTokenUsage,
    within: EntityManager | undefined,
  ): Promise<void> {
    const values = this.#values(reservation, state, used);
    if (within !== undefined) return this.#endInTransaction(within, values);
    await this.#track(this.#endInOwnTransaction(reservation.id, values));
  }

  #values(
    { id, price }: Pick<CreditsReservationRequest, "id" | "price">,
    state: EndState,
    used: CallTokenUsage,
  ): readonly unknown[] {
    const cost = state === "settled" ? computeCallCostNano(price, used) : 0n;
    const { input, cacheRead, cacheWrite, output, isEstimated, raw } = used;
    return [
      id,
      state,
      cost.toString(),
      input + cacheRead + cacheWrite,
      cacheRead,
      output,
      isEstimated,
      serializeRawUsageOrNull(raw),
      new Date(this.#dependencies.clock.now()),
    ];
  }

  async #endInTransaction(em: EntityManager, values: readonly unknown[]): Promise<void> {
    await em.execute("select causeway_settle(?, ?, ?, ?, ?, ?, ?, ?::jsonb, ?)", [...values]);
  }

  async #endInOwnTransaction(id: string, values: readonly unknown[]): Promise<void> {
    if (!(await this.#endOnce(values)))
      this.#dependencies.log.warn(
        { call_id: id },
        "a call was settled after its lease had run out",
      );
  }

  /** Again and again while the database is away: what a call has used would else be lost. */
  async #endOnce(values: readonly unknown[]): Promise<boolean> {
    const { runPrepared } = this.#dependencies;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const [row] = await runPrepared<{ ended: boolean }>(settleStatement, values);
        // An earlier attempt may have done it whose answer was lost.
        return row?.ended === true || attempt > 1;
      } catch (error) {
        const { signal } = this.#closing;
        if (signal.aborted || toDatabaseUnavailableError(error) === undefined) throw error;
        await delay(retryMs, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
  }
}

type EndState = "settled" | "released";

const nothingUsed: CallTokenUsage = {
  input: 0,
  cacheRead: 0,
  cacheWrite: 0,
  output: 0,
  isEstimated: false,
  raw: undefined,
};

function spent(what: string, byoUrl: string): ApiError {
  const message =
    what === "budget"
      ? "The key's budget does not have what this call may cost; raise it, or link a vendor credential of your own."
      : "The wallet does not have what this call may cost; add credits, or link a vendor credential of your own.";
  return new ApiError("byo_url", message, { byoUrl });
}

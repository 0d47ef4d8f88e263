import { selectRows } from "../../support/select-rows.ts";

/** An account's money, of one snapshot; nano-dollars. */
export interface MoneySums {
  readonly balance: bigint;
  readonly held: bigint;
  /** Of the ledger's entries: what ended ones cost, what running ones hold. */
  readonly charged: bigint;
  readonly reserved: bigint;
  /** The same for each key with a budget. */
  readonly keys: readonly { spent: bigint; held: bigint; charged: bigint; reserved: bigint }[];
}

/** An entry of a call that was paid from a wallet. */
export interface PaidEntry {
  readonly reserved: string;
  readonly state: string;
  readonly cost: bigint;
}

const sumsOf = `
  coalesce(sum("cost_nano") filter (where "state" <> 'held'), 0)::text as "charged",
  coalesce(sum("reserved_nano") filter (where "state" = 'held'), 0)::text as "reserved"`;

/** Reads the sums in one statement, so that no call that ends meanwhile is seen in halves. */
export async function readSums(databaseUrl: string, accountId: string): Promise<MoneySums> {
  const [row] = await selectRows(
    databaseUrl,
    `select "balance_nano"::text as "balance", "held_nano"::text as "held", "of_account".*,
       (select coalesce(json_agg("of_key"), '[]') from (
          select "spent_nano"::text as "spent", "held_nano"::text as "held", ${sumsOf}
          from "key_spendings"
            left join "ledger_entries" using ("key_id", "window_start")
          group by "key_id", "window_start"
        ) "of_key") as "keys"
     from "wallets", (
       select ${sumsOf} from "ledger_entries" where "account_id" = $1
     ) "of_account" where "account_id" = $1`,
    accountId,
  );
  return JSON.parse(JSON.stringify(row), toBigint) as MoneySums;
}

function toBigint(_name: string, value: unknown): unknown {
  return typeof value === "string" ? BigInt(value) : value;
}

/** Entries of calls that were paid, by what they reserved, each with all that are there. */
export async function readBilledEntries(
  databaseUrl: string,
): Promise<ReadonlyMap<string, readonly PaidEntry[]>> {
  const rows = await selectRows(
    databaseUrl,
    `select "reserved_nano"::text as "reserved", "state", "cost_nano"::text as "cost"
     from "ledger_entries" where "route" = 'credits'`,
  );
  const entries = rows.map(({ reserved, state, cost }) => ({
    reserved: String(reserved),
    state: String(state),
    cost: BigInt(String(cost)),
  }));
  return Map.groupBy(entries, ({ reserved }) => reserved);
}

/** Input tokens of the calls that reserved nothing, in order. */
export async function readUnbilledInputs(databaseUrl: string): Promise<readonly number[]> {
  const rows = await selectRows(
    databaseUrl,
    `select "input_tokens"::int as "input" from "ledger_entries" where "route" = 'byo' order by 1`,
  );
  return rows.map(({ input }) => Number(input));
}

/** Lets a minute pass for the leases of calls that reserved these amounts. */
export async function expireLeases(databaseUrl: string, amounts: readonly string[]): Promise<void> {
  await selectRows(
    databaseUrl,
    `update "ledger_entries" set "lease_until" = "lease_until" - interval '1 minute'
     where "state" = 'held' and "reserved_nano" = any($1::bigint[])`,
    amounts,
  );
}

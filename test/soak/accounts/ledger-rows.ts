import { selectRows } from "../../support/select-rows.ts";
import type { Call } from "../call.ts";

/** A row of the ledger, and the number of the call that it is of. */
export interface LedgerRow {
  readonly number: number;
  readonly isPaid: boolean;
  readonly state: string;
  /** Nano-dollars. */
  readonly reserved: bigint;
  readonly cost: bigint;
  readonly input: number;
  readonly output: number;
}

/** What a paid call's prompt of forty letters costs at a dollar a million tokens, in nano-dollars. */
export const promptNano = 10_000n;

const nanoPerInput = 1000n;
const nanoPerOutput = 2000n;

/** What a call costs that was answered whole. */
export function costOf({ number, output }: Call): bigint {
  return BigInt(number) * nanoPerInput + BigInt(output) * nanoPerOutput;
}

/** All rows of an account. */
export async function readLedgerRows(databaseUrl: string, accountId: string): Promise<LedgerRow[]> {
  const rows = await selectRows(
    databaseUrl,
    `select "model", "route" = 'credits' as "isPaid", "state", "reserved_nano"::text as "reserved",
       "cost_nano"::text as "cost", "input_tokens"::int as "input", "output_tokens"::int as "output"
     from "ledger_entries" where "account_id" = $1`,
    accountId,
  );
  return rows.map(readRow);
}

function readRow(row: Record<string, unknown>): LedgerRow {
  const isPaid = row["isPaid"] === true;
  const reserved = BigInt(String(row["reserved"]));
  const number = isPaid
    ? Number((reserved - promptNano) / nanoPerOutput)
    : Number(String(row["model"]).split("/m-")[1]);
  return {
    number,
    isPaid,
    state: String(row["state"]),
    reserved,
    cost: BigInt(String(row["cost"])),
    input: Number(row["input"]),
    output: Number(row["output"]),
  };
}

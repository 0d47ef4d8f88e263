import { selectRows } from "../../support/select-rows.ts";
import type { CalledTurn } from "./turn-caller.ts";
import { stepsOfAgent, type TurnDial } from "./turn-upstream.ts";

/** What is in the books of one account. */
export interface TurnLedger {
  /** Calls of each turn. */
  readonly calls: ReadonlyMap<string, readonly StoredTurnCall[]>;
  readonly costNano: bigint;
  readonly balanceNano: bigint;
  readonly heldNano: bigint;
  readonly heldRows: number;
}

export interface StoredTurnCall {
  readonly id: string;
  readonly status: number;
  readonly isRepeated: boolean;
  /** Rows of the ledger that it has. */
  readonly rows: number;
}

export async function readTurnLedger(url: string, accountId: string): Promise<TurnLedger> {
  const calls = await selectRows(
    url,
    `select "calls"."turn", "calls"."id", "calls"."status", "calls"."repeated",
       (select count(*)::int from "ledger_entries" "entry"
         where "entry"."id" = "calls"."id" and "entry"."state" <> 'held') as "rows"
     from "calls" where "calls"."account_id" = $1 and "calls"."turn" is not null`,
    accountId,
  );
  const [sums] = await selectRows(
    url,
    `select coalesce(sum("cost_nano"), 0)::text as "cost",
       count(*) filter (where "state" = 'held')::int as "held" from "ledger_entries"
     where "account_id" = $1`,
    accountId,
  );
  const [wallet] = await selectRows(
    url,
    `select "balance_nano"::text as "balance", "held_nano"::text as "held" from "wallets"
     where "account_id" = $1`,
    accountId,
  );
  return {
    calls: Map.groupBy(calls.map(readCall), ({ turn }) => turn),
    costNano: BigInt(String(sums?.["cost"])),
    balanceNano: BigInt(String(wallet?.["balance"])),
    heldNano: BigInt(String(wallet?.["held"])),
    heldRows: Number(sums?.["held"]),
  };
}

/** What was promised of turns and their money, and not kept, in words. */
export function turnLedgerMismatches(
  turns: readonly CalledTurn[],
  dials: readonly TurnDial[],
  books: TurnLedger,
  grantedNano: bigint,
): readonly string[] {
  const { costNano, balanceNano, heldNano, heldRows } = books;
  const isBalanced = balanceNano + costNano === grantedNano && heldNano === 0n && heldRows === 0;
  const money = `wallet ${balanceNano} + ${costNano} of ${grantedNano}, ${heldNano} held in ${heldRows} rows`;
  return [
    ...(isBalanced ? [] : [money]),
    ...turns.flatMap((turn) => brokenCalls(turn, dials, books.calls.get(turn.id ?? "") ?? [])),
  ];
}

/**
 * Each dial has its call, and each call its row; a call may have been noted and not dialled.
 * Each step is called once but for what was repeated.
 */
function brokenCalls(
  { number, id, isAgent }: CalledTurn,
  dials: readonly TurnDial[],
  calls: readonly StoredTurnCall[],
): readonly string[] {
  if (id === undefined) return [];
  const dialled = dials.filter(({ turn }) => turn === number).length;
  const first = calls.filter(({ isRepeated }) => !isRepeated).length;
  const steps = isAgent ? stepsOfAgent : 1;
  const rowless = calls.filter(({ rows }) => rows !== 1).length;
  const told = `turn ${number}: ${dialled} dials, ${calls.length} calls, ${first} not repeated, ${rowless} without one row`;
  const isRight = calls.length >= dialled && first === steps && rowless === 0;
  return isRight ? [] : [told];
}

function readCall(row: Record<string, unknown>): StoredTurnCall & { readonly turn: string } {
  return {
    turn: String(row["turn"]),
    id: String(row["id"]),
    status: Number(row["status"]),
    isRepeated: row["repeated"] === true,
    rows: Number(row["rows"]),
  };
}

import type { EntityManager } from "@mikro-orm/postgresql";
import type { LedgerCallUsage } from "../domain/call-usage.ts";

/** What calls have used, in one statement; those that used nothing are left out. */
export async function loadUsageByCall(
  em: EntityManager,
  callIds: readonly string[],
): Promise<ReadonlyMap<string, LedgerCallUsage>> {
  if (callIds.length === 0) return new Map();
  const rows = await em.execute<(LedgerCallUsage & { readonly call: string })[]>(
    `select coalesce("call_id", "id") as "call", sum("input_tokens") as "input",
       sum("cached_input_tokens") as "cached", sum("output_tokens") as "output",
       sum("cost_nano") as "cost", bool_or("estimated") as "estimated"
     from "ledger_entries" where "id" in (?) or "call_id" in (?)
     group by 1`,
    [callIds, callIds],
  );
  return new Map(rows.map(({ call, ...use }) => [call, use]));
}

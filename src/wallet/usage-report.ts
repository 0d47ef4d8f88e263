import type { EntityManager } from "@mikro-orm/postgresql";
import { invalidRequestError } from "../platform/errors.ts";
import type { TimeRange } from "../domain/time-range.ts";

/** What usage is summed by. */
export type UsageGrouping = "day" | "model" | "key" | "tag";

/** Whose usage, of when. */
export interface UsageQuery {
  readonly accountId: string;
  /** Undefined: every key of the account. */
  readonly keyId: string | undefined;
  /** When the calls began. */
  readonly range: TimeRange;
  readonly grouping: UsageGrouping;
  /** Name of the tag that is summed by. */
  readonly tag: string | undefined;
}

/** The calls of one day, model, key or value of a tag together. */
export interface UsageGroupTotals {
  /** The day, the model's id, the key's, or the value. */
  readonly group: string;
  readonly requests: string;
  readonly repeated: string;
  readonly input: string;
  readonly cached: string;
  readonly output: string;
  readonly cost: string;
  readonly estimated: boolean;
}

/** What a row of the ledger is summed under; a tag's name is the parameter of the last. */
const groupColumn: Readonly<Record<UsageGrouping, string>> = {
  day: `to_char("started_at" at time zone 'UTC', 'YYYY-MM-DD')`,
  model: `"model"`,
  key: `"key_id"`,
  tag: `"tags" ->> ?`,
};

/**
 * Whether a row counts its call. A call between several targets may have rows beside, or
 * in place of, the one of its own id: then the first of them does. Few have, so that it
 * is looked up for those alone.
 */
const countsCall = `case when "call_id" is null then true else "id" = (
  select "id" from "ledger_entries" as "row"
  where "state" = 'settled' and ("row"."id" = "entry"."call_id" or "row"."call_id" = "entry"."call_id")
  order by "call_id" nulls first, "id" limit 1
) end`;

/**
 * Usage of the account's calls that have ended, summed, in the order of the
 * groups. Throws 400 for `tag` without that grouping, and for the grouping without it.
 */
export async function loadUsageReport(
  em: EntityManager,
  query: UsageQuery,
): Promise<UsageGroupTotals[]> {
  const { accountId, keyId, range, grouping } = query;
  const tag = tagParameters(query);
  const isKey = keyId === undefined ? "" : `and "key_id" = ?`;
  // Each row of a call is of another model: it is one call of each.
  const counts = grouping === "model" ? "true" : countsCall;
  return em.execute<UsageGroupTotals[]>(
    `select "group", count(*) filter (where ${counts}) as "requests",
       count(*) filter (where "repeated") as "repeated",
       sum("input_tokens") as "input", sum("cached_input_tokens") as "cached",
       sum("output_tokens") as "output", sum("cost_nano") as "cost",
       bool_or("estimated") as "estimated"
     from (select *, ${groupColumn[grouping]} as "group" from "ledger_entries") as "entry"
     where "account_id" = ? and "state" = 'settled' and "group" is not null
       and "started_at" >= coalesce(?, '-infinity'::timestamptz)
       and "started_at" < coalesce(?, 'infinity'::timestamptz) ${isKey}
     group by 1 order by 1`,
    [
      ...tag,
      accountId,
      range.from ?? null,
      range.to ?? null,
      ...(keyId === undefined ? [] : [keyId]),
    ],
  );
}

function tagParameters({ grouping, tag }: UsageQuery): string[] {
  if (grouping !== "tag" && tag === undefined) return [];
  if (grouping === "tag" && tag !== undefined) return [tag];
  const message =
    tag === undefined
      ? "`tag` must name the tag to sum by, `project` for instance."
      : "`tag` is what `group_by=tag` sums by: send both, or neither.";
  throw invalidRequestError("tag", message);
}

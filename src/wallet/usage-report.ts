import type { EntityManager } from "@mikro-orm/postgresql";
import { invalidRequest } from "../platform/errors.ts";

/** What usage is summed by. */
export type UsageGrouping = "day" | "model" | "key";

/** Whose usage, of when. */
export interface UsageQuery {
  readonly accountId: string;
  /** Undefined: every key of the account. */
  readonly keyId: string | undefined;
  /** A day or an RFC 3339 time; undefined: from the first call on. */
  readonly from: string | undefined;
  /** A day, which is included, or a time, which is not; undefined: up to now. */
  readonly to: string | undefined;
  readonly grouping: UsageGrouping;
}

/** The calls of one day, model or key together. */
export interface UsageSum {
  /** The day, the model's id or the key's. */
  readonly group: string;
  readonly requests: string;
  readonly input: string;
  readonly cached: string;
  readonly output: string;
  readonly cost: string;
  readonly estimated: boolean;
}

const groupColumn: Readonly<Record<UsageGrouping, string>> = {
  day: `to_char("started_at" at time zone 'UTC', 'YYYY-MM-DD')`,
  model: `"model"`,
  key: `"key_id"`,
};

/**
 * Usage of the account's calls that have ended, summed, in the order of the
 * groups. Throws 400 for a time that is none.
 */
export function usageReport(em: EntityManager, query: UsageQuery): Promise<UsageSum[]> {
  const { accountId, keyId, from, to, grouping } = query;
  const isKey = keyId === undefined ? "" : `and "key_id" = ?`;
  return em.execute<UsageSum[]>(
    `select ${groupColumn[grouping]} as "group", count(*) as "requests",
       sum("input_tokens") as "input", sum("cached_input_tokens") as "cached",
       sum("output_tokens") as "output", sum("cost_nano") as "cost",
       bool_or("estimated") as "estimated"
     from "ledger_entries"
     where "account_id" = ? and "state" = 'settled' and "started_at" >= ? and "started_at" < ? ${isKey}
     group by 1 order by 1`,
    [
      accountId,
      readTime(from, "from", "1970-01-01"),
      endOf(to),
      ...(keyId === undefined ? [] : [keyId]),
    ],
  );
}

const dayForm = /^\d{4}-\d\d-\d\d$/;
const dayMs = 24 * 60 * 60_000;

/** A day is over when the next begins. */
function endOf(to: string | undefined): Date {
  const time = readTime(to, "to", "9999-12-31");
  const isDay = to !== undefined && dayForm.test(to);
  return isDay ? new Date(time.getTime() + dayMs) : time;
}

function readTime(text: string | undefined, param: string, otherwise: string): Date {
  const time = new Date(text ?? otherwise);
  if (Number.isNaN(time.getTime())) {
    throw invalidRequest(
      param,
      `\`${param}\` must be a day such as 2026-11-20, or an RFC 3339 time.`,
    );
  }
  return time;
}

import { turnLeaseSeconds } from "../../../src/turn/turn-statements.ts";
import { selectRows } from "../../support/select-rows.ts";

/** A turn that went on at another process. */
export interface Takeover {
  /** Milliseconds since the epoch. */
  readonly killedAt: number;
  /** Milliseconds from the kill to the start of its next run. */
  readonly waitedMs: number;
}

/**
 * How long each turn whose process was killed waited for its next run, the shortest first.
 * The lease that ran out tells which kill it was: the first one after it was
 * prolonged for the last time. `killedAt`: milliseconds since the epoch, in order.
 */
export async function readTakeovers(
  databaseUrl: string,
  killedAt: readonly number[],
): Promise<readonly Takeover[]> {
  const rows = await selectRows(
    databaseUrl,
    `select 1000 * extract(epoch from ("lost"."failure_reason" ->> 'claimExpiredAt')::timestamptz)::float8
       as "expired", 1000 * extract(epoch from "next"."started_at")::float8 as "started"
     from "absurd"."r_turns" "lost"
     join "absurd"."r_turns" "next"
       on "next"."task_id" = "lost"."task_id" and "next"."attempt" = "lost"."attempt" + 1
     where "lost"."failure_reason" ->> 'name' = '$ClaimTimeout'`,
  );
  const waits = rows.map(({ expired, started }) => {
    const prolonged = Number(expired) - 1000 * turnLeaseSeconds;
    const killed = killedAt.find((at) => at >= prolonged) ?? prolonged;
    return { killedAt: killed, waitedMs: Number(started) - killed };
  });
  return waits.toSorted((one, other) => one.waitedMs - other.waitedMs);
}

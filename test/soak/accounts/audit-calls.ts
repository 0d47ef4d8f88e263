import { readSums } from "../../process/support/ledger-rows.ts";
import type { Call } from "../call.ts";
import { classifyCall, type Kill, type Verdict } from "./classify-call.ts";
import { readLedgerRows, type LedgerRow } from "./ledger-rows.ts";

/** What is held against what. */
export interface AuditedRun {
  readonly databaseUrl: string;
  readonly accountId: string;
  readonly grantedNano: bigint;
  readonly calls: readonly Call[];
  /** When a process was killed, milliseconds of the wall clock. */
  readonly kills: readonly number[];
}

/** The books of a run. */
export interface Audit {
  readonly rows: readonly LedgerRow[];
  /** Calls by what was found of them. */
  readonly verdicts: ReadonlyMap<Verdict, readonly Call[]>;
  /** Rows of no call of the run. */
  readonly strangers: readonly LedgerRow[];
  /** Calls of which the upstream gave two whole answers. */
  readonly answeredTwice: readonly Call[];
  readonly held: number;
  /** Each sum that should be zero and is not, in words. */
  readonly sums: readonly string[];
}

/** Reads the ledger and holds every call of the run against it. */
export async function auditCalls(run: AuditedRun): Promise<Audit> {
  const rows = await readLedgerRows(run.databaseUrl, run.accountId);
  const byNumber = Map.groupBy(rows, ({ number }) => number);
  const kills = run.kills.map((at) => killAt(at, run.calls, byNumber));
  const verdicts = Map.groupBy(run.calls, (call) =>
    classifyCall(call, byNumber.get(call.number) ?? [], kills),
  );
  const numbers = new Set(run.calls.map(({ number }) => number));
  return {
    rows,
    verdicts,
    strangers: rows.filter(({ number }) => !numbers.has(number)),
    answeredTwice: run.calls.filter(({ answered }) => answered > 1),
    held: rows.filter(({ state }) => state === "held").length,
    sums: await wrongSums(run),
  };
}

/** Of slow readers nobody knows when their answers were given. */
function killAt(
  at: number,
  calls: readonly Call[],
  rows: ReadonlyMap<number, readonly LedgerRow[]>,
): Kill {
  const written = calls.filter(
    ({ number, isPaid, startedAt, endedAt, plan: { hearing } }) =>
      !isPaid && startedAt <= at && endedAt <= at && hearing.kind !== "slow" && rows.has(number),
  );
  const writtenUntil = written.reduce((latest, { endedAt }) => Math.max(latest, endedAt), 0);
  return { at, writtenUntil };
}

async function wrongSums({ databaseUrl, accountId, grantedNano }: AuditedRun): Promise<string[]> {
  const { balance, held, charged, reserved, keys } = await readSums(databaseUrl, accountId);
  const differences = [
    ["wallet: balance and charges less what was granted", balance + charged - grantedNano],
    ["wallet: held less what running calls reserved", held - reserved],
    ...keys.flatMap((key) => [
      ["key: spent less what its calls cost", key.spent - key.charged],
      ["key: held less what its running calls reserved", key.held - key.reserved],
    ]),
  ] as const;
  return differences
    .filter(([, nano]) => nano !== 0n)
    .map(([what, nano]) => `${what}: ${nano} nano-dollars`);
}

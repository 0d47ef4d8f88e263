import type { Table } from "../../bench/report/table.ts";
import type { Audit } from "../accounts/audit-calls.ts";
import type { Verdict } from "../accounts/classify-call.ts";
import type { Call, Outcome } from "../call.ts";

/** What is promised of the books and was not kept, in words. */
export function ledgerMismatches(audit: Audit): string[] {
  const { verdicts, strangers, answeredTwice, held, sums } = audit;
  const found = (["lost", "doubled", "uncalled", "wrong"] as const).flatMap((verdict) =>
    (verdicts.get(verdict) ?? []).map((call) => `${verdict}: ${describeCall(call, audit)}`),
  );
  return [
    ...found,
    ...strangers.map(({ number }) => `a row of no call: ${number}`),
    ...answeredTwice.map(({ number }) => `the upstream answered call ${number} twice`),
    ...(held === 0 ? [] : [`${held} reserves are still held`]),
    ...sums,
  ];
}

function describeCall(call: Call, { rows }: Audit): string {
  const { number, plan, outcome, status, code, bytes, seen } = call;
  const { from, to, payment, isStream, answering, hearing } = plan;
  const told = rows
    .filter((row) => row.number === number)
    .map(({ state, cost, input, output }) => `${state} ${cost} ${input}+${output}`);
  return [
    `call ${number}, ${from} to ${to}, ${payment}, ${isStream ? "stream" : "whole"}`,
    `upstream: ${answering.kind}, asked ${seen} times`,
    `caller: ${hearing.kind}, ${outcome} ${status ?? ""} ${code ?? ""} after ${bytes} bytes`,
    `rows: ${told.join(", ") || "none"}`,
  ].join("; ");
}

/** The books of a run as a table. */
export function ledgerTable(calls: readonly Call[], audit: Audit): Table {
  const outcomes = (...names: Outcome[]) =>
    calls.filter(({ outcome }) => outcome !== undefined && names.includes(outcome)).length;
  const verdicts = (...names: Verdict[]) =>
    names.reduce((sum, name) => sum + (audit.verdicts.get(name)?.length ?? 0), 0);
  const figures: [string, number][] = [
    ["model calls made", calls.length],
    ["of them paid from the wallet", calls.filter(({ isPaid }) => isPaid).length],
    ["transcoded", calls.filter(({ plan: { from, to } }) => from !== to).length],
    ["streamed", calls.filter(({ plan: { isStream } }) => isStream).length],
    ["reached an upstream", calls.filter(({ seen }) => seen > 0).length],
    ["answered whole by an upstream", calls.filter(({ answered }) => answered > 0).length],
    ["answered whole by an upstream twice", audit.answeredTwice.length],
    ["answered whole to the caller", outcomes("whole")],
    ["cut in the middle, and told so", outcomes("cut")],
    ["cut in the middle without a word", outcomes("truncated")],
    ["refused", outcomes("refused")],
    ["left before an answer", outcomes("unheard")],
    ["rows of own credentials", audit.rows.filter(({ isPaid }) => !isPaid).length],
    ["rows of the wallet", audit.rows.filter(({ isPaid }) => isPaid).length],
    ["calls whose rows are right", verdicts("right")],
    ["rows lost", verdicts("lost")],
    ["rows doubled", verdicts("doubled")],
    ["rows with wrong figures", verdicts("wrong")],
    ["rows of calls that were not answered", verdicts("uncalled")],
    ["rows of no call", audit.strangers.length],
    ["not or not fully written by a killed process, as documented", verdicts("forgiven")],
    ["reserves still held", audit.held],
    ["sums of wallet and budgets that differ from the ledger", audit.sums.length],
  ];
  return {
    title: "Calls and their rows",
    note: "Each call has a number that both of its ends and its row in the ledger tell.",
    columns: ["What", "Number"],
    rows: figures.map(([what, figure]) => [what, String(figure)]),
  };
}

import { describe, expect, it } from "vitest";
import { Call, type CallPlan } from "../call.ts";
import { classifyCall, type Verdict } from "./classify-call.ts";
import { costOf, type LedgerRow } from "./ledger-rows.ts";

const plan: CallPlan = {
  from: "chat",
  to: "messages",
  payment: "linked",
  isStream: true,
  prompt: "Hello",
  answering: { kind: "whole", delayMs: 0, everyMs: 0, pieces: 2, pieceLength: 5 },
  hearing: { kind: "all", afterMs: 0 },
};

type Seen = Partial<Pick<Call, "outcome" | "seen" | "bytes">>;

/** Answered whole, unless said, and ended five seconds after it began. */
function callOf(payment: CallPlan["payment"], seen: Seen = {}): Call {
  const call = new Call(1000, { ...plan, payment });
  const answered = { seen: 1, answered: 1, outcome: "whole" as const, bytes: 100 };
  return Object.assign(call, answered, seen, { endedAt: call.startedAt + 5000 });
}

const cost = costOf(callOf("wallet"));
const row = (fields: Partial<LedgerRow> = {}): LedgerRow => ({
  number: 1000,
  isPaid: false,
  state: "settled",
  reserved: 0n,
  cost: 0n,
  input: 1000,
  output: callOf("linked").output,
  ...fields,
});
const paid = (fields: Partial<LedgerRow> = {}) => row({ isPaid: true, cost, ...fields });
const cut = { outcome: "cut", bytes: 10 } as const;
const refused = { outcome: "refused", bytes: 0 } as const;
const unheard = { outcome: "unheard", bytes: 0 } as const;

describe("classifyCall", () => {
  it.each<[Verdict, string, Call, LedgerRow[]]>([
    ["right", "own, with its row", callOf("linked"), [row()]],
    ["lost", "own, answered, without a row", callOf("linked"), []],
    ["lost", "own, answered in part, without a row", callOf("linked", cut), []],
    ["doubled", "own, two rows", callOf("linked"), [row(), row()]],
    ["wrong", "own, other tokens", callOf("linked"), [row({ output: 1 })]],
    ["uncalled", "own, refused, with a row", callOf("linked", refused), [row()]],
    ["right", "own, refused, without a row", callOf("linked", refused), []],
    ["right", "paid, charged", callOf("wallet"), [paid()]],
    ["lost", "paid, dialled, without a row", callOf("wallet", unheard), []],
    ["doubled", "paid, two rows", callOf("wallet"), [paid(), paid()]],
    ["wrong", "paid, a nano-dollar more", callOf("wallet"), [paid({ cost: cost + 1n })]],
    ["wrong", "paid, still held", callOf("wallet"), [paid({ state: "held", cost: 0n })]],
    ["wrong", "paid, answered in part for nothing", callOf("wallet", cut), [paid({ cost: 0n })]],
    ["uncalled", "paid, refused and charged", callOf("wallet", refused), [paid()]],
    ["right", "paid, refused and free", callOf("wallet", refused), [paid({ cost: 0n })]],
  ])("is %s: %s", (verdict, _what, call, rows) => {
    expect(classifyCall(call, rows, [])).toBe(verdict);
  });

  it.each<[Verdict, string, Call, LedgerRow[], number, number]>([
    ["forgiven", "own, ended right before", callOf("linked"), [], 5500, 4900],
    ["lost", "own, ended long before", callOf("linked"), [], 11_000, 4900],
    ["lost", "own, ended before one that is written", callOf("linked"), [], 5900, 5600],
    ["forgiven", "paid, held", callOf("wallet"), [paid({ state: "held", cost: 0n })], 5500, 0],
    ["forgiven", "paid, charged less", callOf("wallet"), [paid({ cost: 5n })], 5500, 0],
    ["wrong", "paid, charged more", callOf("wallet"), [paid({ cost: cost + 1n })], 5500, 0],
    ["lost", "paid, dialled, without a row", callOf("wallet", unheard), [], 5500, 0],
  ])("is %s with a kill: %s", (verdict, _what, call, rows, killMs, writtenMs) => {
    const kill = { at: call.startedAt + killMs, writtenUntil: call.startedAt + writtenMs };
    expect(classifyCall(call, rows, [kill])).toBe(verdict);
  });
});

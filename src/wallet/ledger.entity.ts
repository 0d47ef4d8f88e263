import { defineEntity, p } from "@mikro-orm/postgresql";
import type { CallTags } from "../domain/call-tags.ts";

/** What an account has paid in, in nano-dollars; `held` of it is reserved by calls that run. */
export const WalletEntity = defineEntity({
  name: "Wallet",
  tableName: "wallets",
  properties: {
    accountId: p.text().primary(),
    balanceNano: p.bigint("string"),
    heldNano: p.bigint("string"),
  },
});

/** What a key has spent in one window of its budget, in nano-dollars. */
export const KeySpendingEntity = defineEntity({
  name: "KeySpend",
  tableName: "key_spendings",
  properties: {
    keyId: p.text().primary(),
    /** `2026-11-21`, `2026-11` or `total`. */
    windowStart: p.text().primary(),
    spentNano: p.bigint("string"),
    heldNano: p.bigint("string"),
  },
});

export const ledgerEntryStates = ["held", "settled", "released"] as const;

/** One model call, whoever paid for it. Only `causeway_reserve` and `causeway_settle` write money. */
export const LedgerEntryEntity = defineEntity({
  name: "LedgerEntry",
  tableName: "ledger_entries",
  properties: {
    /** `call_…`, minted here. */
    id: p.text().primary(),
    accountId: p.text(),
    keyId: p.text(),
    /** Canonical id. */
    model: p.text(),
    /** `byo` or `credits`. */
    route: p.text(),
    state: p.enum(ledgerEntryStates),
    reservedNano: p.bigint("string"),
    costNano: p.bigint("string"),
    /** Window of the key's budget that it counts in; null: no budget. */
    windowStart: p.text().strictNullable(),
    /** Caches included. */
    inputTokens: p.bigint("string"),
    cachedInputTokens: p.bigint("string"),
    outputTokens: p.bigint("string"),
    /** Nobody told the tokens: they were counted here. */
    estimated: p.boolean(),
    /** The vendor's own usage object. */
    usage: p.json<unknown>().strictNullable(),
    /** The prices that the cost was made with. */
    rule: p.json<unknown>().strictNullable(),
    startedAt: p.datetime(3),
    /** A held entry that is not renewed by then is settled by whoever notices. */
    leaseUntil: p.datetime(3).strictNullable(),
    endedAt: p.datetime(3).strictNullable(),
    /** The call that it belongs to; null: that of its own id. */
    callId: p.text().strictNullable(),
    tags: p.json<CallTags>().strictNullable(),
    /** Of a call that was made again because a process died. */
    repeated: p.boolean().default(false),
  },
  indexes: [
    { name: "ledger_entries_account_id_index", properties: ["accountId", "startedAt"] },
    { name: "ledger_entries_key_id_index", properties: ["keyId", "startedAt"] },
    {
      name: "ledger_entries_lease_until_index",
      properties: ["leaseUntil"],
      where: `"lease_until" is not null`,
    },
    {
      name: "ledger_entries_call_id_index",
      properties: ["callId"],
      where: `"call_id" is not null`,
    },
  ],
});

import type { EntityManager } from "@mikro-orm/postgresql";
import { recordAudit, type AuditActor } from "../domain/audit/audit.ts";
import { nanoDigitsToUsd } from "../domain/money.ts";
import { invalidRequestError, type ApiError } from "../platform/errors.ts";
import { KeySpendingEntity, LedgerEntryEntity, WalletEntity } from "./ledger.entity.ts";
import { budgetWindowKey } from "./budget-window.ts";
import type { BudgetWindow } from "../domain/caller-key.ts";

/** What is in a wallet, in nano-dollars. */
export interface WalletBalance {
  readonly balanceNano: string;
  /** Of the balance, reserved by calls that run. */
  readonly heldNano: string;
}

/** The wallet of an account; one that was never filled is empty. */
export async function readWallet(em: EntityManager, accountId: string): Promise<WalletBalance> {
  const wallet = await em.findOne(WalletEntity, { accountId }, { disableIdentityMap: true });
  return wallet ?? { balanceNano: "0", heldNano: "0" };
}

/** Nine billion dollars: a balance must fit in 64 bits, and have room for what a call costs. */
const maxNano = "9000000000000000000";

/** Fills a wallet. Throws 400 with `amount_usd` when it would hold more than nine billion dollars. */
export function addCredits(
  em: EntityManager,
  actor: AuditActor,
  accountId: string,
  amountNano: string,
): Promise<WalletBalance> {
  return em.transactional(async (tx) => {
    const [row] = await tx.execute<{ balance: string; held: string }[]>(
      `insert into "wallets" ("account_id", "balance_nano", "held_nano") values (?, ?, 0)
       on conflict ("account_id") do update set "balance_nano" = "wallets"."balance_nano" + excluded."balance_nano"
       where "wallets"."balance_nano" <= ?::bigint - excluded."balance_nano"
       returning "balance_nano" as "balance", "held_nano" as "held"`,
      [accountId, amountNano, maxNano],
    );
    if (row === undefined) throw tooMuchError();
    const after = {
      amount_usd: nanoDigitsToUsd(amountNano),
      balance_usd: nanoDigitsToUsd(row.balance),
    };
    recordAudit(tx, actor, { accountId, type: "wallet.credited", target: accountId, after });
    return { balanceNano: row.balance, heldNano: row.held };
  });
}

function tooMuchError(): ApiError {
  const most = nanoDigitsToUsd(maxNano);
  const message = `\`amount_usd\` is more than the wallet can take: it may hold at most ${most} dollars.`;
  return invalidRequestError("amount_usd", message);
}

/** A key with its budget, as far as spending is concerned. */
export interface KeyWithBudgetWindow {
  readonly id: string;
  readonly window: BudgetWindow;
}

/** What each key has spent in its present window, in nano-dollars; keys that spent nothing are left out. */
export async function loadSpendByKey(
  em: EntityManager,
  keys: readonly KeyWithBudgetWindow[],
  now: number,
): Promise<ReadonlyMap<string, string>> {
  if (keys.length === 0) return new Map();
  const wanted = keys.map(({ id, window }) => ({
    keyId: id,
    windowStart: budgetWindowKey(window, now),
  }));
  const rows = await em.find(KeySpendingEntity, { $or: wanted }, { disableIdentityMap: true });
  return new Map(rows.map(({ keyId, spentNano }) => [keyId, spentNano]));
}

/** A key as it pays: whose wallet, and what it may spend of it. */
export interface PayingKey {
  readonly accountId: string;
  readonly keyId: string;
  /** Nano-dollars in decimal digits. */
  readonly budget: { readonly limitNanoUsd: string; readonly window: BudgetWindow } | undefined;
}

/**
 * Whether a key has nothing left to pay with: no money in the wallet that is not
 * held by calls that run, or its budget used up, held money included. One statement.
 */
export async function isKeyOutOfFunds(
  em: EntityManager,
  { accountId, keyId, budget }: PayingKey,
  now: number,
): Promise<boolean> {
  const window = budget === undefined ? null : budgetWindowKey(budget.window, now);
  const [row] = await em.execute<{ left: string; taken: string }[]>(
    `select
       coalesce((select "balance_nano" - "held_nano" from "wallets" where "account_id" = ?), 0)::text as "left",
       coalesce((select "spent_nano" + "held_nano" from "key_spendings"
         where "key_id" = ? and "window_start" = ?), 0)::text as "taken"`,
    [accountId, keyId, window],
  );
  if (row === undefined) throw new Error("a select of one row gave none");
  const isUsedUp = budget !== undefined && BigInt(row.taken) >= BigInt(budget.limitNanoUsd);
  return BigInt(row.left) <= 0n || isUsedUp;
}

/** Removes everything of an account that is itself being removed. */
export async function eraseWallet(em: EntityManager, accountId: string): Promise<void> {
  await em.nativeDelete(LedgerEntryEntity, { accountId });
  await em.nativeDelete(WalletEntity, { accountId });
}

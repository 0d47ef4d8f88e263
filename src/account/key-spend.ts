import type { EntityManager } from "@mikro-orm/postgresql";
import type { Key } from "../../gen/ts/causeway/account/v1/key_pb.ts";
import type { CallerKeyRow } from "./caller-key.entity.ts";
import type { BudgetWindow } from "../domain/caller-key.ts";
import { viewKey } from "./key.view.ts";

/** What keys have spent of their budgets. The books are another domain's, so it is asked through this port. */
export interface KeySpendLookup {
  /** Nano-dollars by key id, of each key's present window; keys that spent nothing are left out. */
  spendOf(
    em: EntityManager,
    keys: readonly { readonly id: string; readonly window: BudgetWindow }[],
  ): Promise<ReadonlyMap<string, string>>;
}

/** The view of these keys, each with what it has spent. */
export async function createCallerKeyViewMapper(
  em: EntityManager,
  keys: readonly CallerKeyRow[],
  spending: KeySpendLookup,
): Promise<(key: CallerKeyRow) => Key> {
  const budgeted = keys.flatMap(({ id, budget }) =>
    budget === null ? [] : [{ id, window: budget.window }],
  );
  const spent = budgeted.length === 0 ? undefined : await spending.spendOf(em, budgeted);
  return (key) => viewKey(key, spent?.get(key.id));
}

/** The view of one key, with what it has spent. */
export async function viewKeyWithSpend(
  em: EntityManager,
  key: CallerKeyRow,
  spending: KeySpendLookup,
): Promise<Key> {
  const view = await createCallerKeyViewMapper(em, [key], spending);
  return view(key);
}

import { Migration } from "@mikro-orm/migrations";

/** Wallets, what keys have spent, and the one ledger of model calls. */
export class CreateLedgerTablesMigration extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  `create table "wallets" (
    "account_id" text not null,
    "balance_nano" bigint not null,
    "held_nano" bigint not null,
    primary key ("account_id")
  )`,

  `create table "key_spendings" (
    "key_id" text not null,
    "window_start" text not null,
    "spent_nano" bigint not null,
    "held_nano" bigint not null,
    primary key ("key_id", "window_start")
  )`,

  `create table "ledger_entries" (
    "id" text not null,
    "account_id" text not null,
    "key_id" text not null,
    "model" text not null,
    "route" text not null,
    "state" text not null,
    "reserved_nano" bigint not null,
    "cost_nano" bigint not null,
    "window_start" text null,
    "input_tokens" bigint not null,
    "cached_input_tokens" bigint not null,
    "output_tokens" bigint not null,
    "estimated" boolean not null,
    "usage" jsonb null,
    "rule" jsonb null,
    "started_at" timestamptz(3) not null,
    "lease_until" timestamptz(3) null,
    "ended_at" timestamptz(3) null,
    primary key ("id"),
    constraint "ledger_entries_state_check" check ("state" in ('held', 'settled', 'released'))
  )`,
  `create index "ledger_entries_account_id_index" on "ledger_entries" ("account_id", "started_at")`,
  `create index "ledger_entries_key_id_index" on "ledger_entries" ("key_id", "started_at")`,
  `create index "ledger_entries_lease_until_index" on "ledger_entries" ("lease_until")`,

  // One statement checks and holds: two calls cannot both take the last cent. Rows are
  // always locked in this order: what the key has spent, then the wallet.
  `create function causeway_reserve(
    p_id text, p_account_id text, p_key_id text, p_model text, p_amount bigint,
    p_limit bigint, p_window_start text, p_rule jsonb, p_now timestamptz, p_lease_until timestamptz
  ) returns text language plpgsql as $function$
  declare
    taken bigint;
  begin
    if p_limit is not null then
      insert into key_spendings (key_id, window_start, spent_nano, held_nano)
        values (p_key_id, p_window_start, 0, 0) on conflict do nothing;
      select spent_nano + held_nano into taken from key_spendings
        where key_id = p_key_id and window_start = p_window_start for update;
      if taken + p_amount > p_limit then return 'budget'; end if;
    end if;
    update wallets set held_nano = held_nano + p_amount
      where account_id = p_account_id and balance_nano - held_nano >= p_amount;
    if not found then return 'wallet'; end if;
    if p_limit is not null then
      update key_spendings set held_nano = held_nano + p_amount
        where key_id = p_key_id and window_start = p_window_start;
    end if;
    insert into ledger_entries (
      id, account_id, key_id, model, route, state, reserved_nano, cost_nano, window_start,
      input_tokens, cached_input_tokens, output_tokens, estimated, rule, started_at, lease_until
    ) values (
      p_id, p_account_id, p_key_id, p_model, 'credits', 'held', p_amount, 0,
      case when p_limit is null then null else p_window_start end,
      0, 0, 0, true, p_rule, p_now, p_lease_until
    );
    return 'held';
  end
  $function$`,

  // Ends a held entry once: false for one that was ended before.
  `create function causeway_settle(
    p_id text, p_state text, p_cost bigint, p_input bigint, p_cached bigint, p_output bigint,
    p_estimated boolean, p_usage jsonb, p_now timestamptz
  ) returns boolean language plpgsql as $function$
  declare
    entry ledger_entries%rowtype;
  begin
    update ledger_entries set
        state = p_state, cost_nano = p_cost, input_tokens = p_input, cached_input_tokens = p_cached,
        output_tokens = p_output, estimated = p_estimated, usage = p_usage,
        ended_at = p_now, lease_until = null
      where id = p_id and state = 'held' returning * into entry;
    if not found then return false; end if;
    if entry.window_start is not null then
      update key_spendings set held_nano = held_nano - entry.reserved_nano, spent_nano = spent_nano + p_cost
        where key_id = entry.key_id and window_start = entry.window_start;
    end if;
    update wallets set held_nano = held_nano - entry.reserved_nano, balance_nano = balance_nano - p_cost
      where account_id = entry.account_id;
    return true;
  end
  $function$`,
];

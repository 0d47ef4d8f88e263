import type { Client } from "pg";

const dayMs = 24 * 60 * 60_000;

/** How many days calls are kept for. */
export const days = 30;

/**
 * Fills one day with calls and the ledger with what they used. Of a thousand accounts
 * the first makes 30 % of the calls and the second 10 %; each has ten keys, the first
 * of which makes about half; 41 models, of which the last gets one call in 400; 4 % fail;
 * every other call has tags.
 */
export async function fillDay(client: Client, startsAt: number, calls: number): Promise<void> {
  await client.query(insertCalls, [new Date(startsAt), calls]);
  await client.query(insertEntries, [new Date(startsAt), new Date(startsAt + dayMs)]);
}

/** The first ten characters of an id: its time in base 32. */
const timeText = Array.from(
  { length: 10 },
  (_none, index) =>
    `substr('0123456789abcdefghjkmnpqrstvwxyz', ((ms >> ${45 - 5 * index}) & 31)::int + 1, 1)`,
).join(" || ");

/** An id of an account or a key by its number. */
const idOf = (prefix: string, number: string) => `'${prefix}_' || lpad((${number})::text, 26, '0')`;

const insertCalls = `
  insert into calls (
    id, at, account_id, key_id, request_id, dialect, operation, model, target, route, lane,
    stream, status, error_code, attempts, ms, first_byte_ms, tags, tagged, repeated
  )
  select 'call_' || ${timeText} || substr(md5(random()::text), 1, 16), at,
    ${idOf("user", "account")}, ${idOf("key", "account * 10 + key")},
    'req_' || substr(md5(random()::text), 1, 26), 'chat', 'createChatCompletion',
    model, model, 'byo', 'pass_through', number % 2 = 0, status,
    case status when 200 then null when 429 then 'rate_limited' when 502 then 'upstream_unreachable'
      when 499 then 'upstream_incomplete' else 'upstream_timeout' end,
    jsonb_build_array(jsonb_build_object('target', model, 'status', status, 'ms', 900)), 920, 300,
    case when project is not null then jsonb_build_object('project', project, 'env', env) end,
    case when project is not null then array[
      'project:' || project, ${idOf("user", "account")} || ' project:' || project,
      'env:' || env, ${idOf("user", "account")} || ' env:' || env
    ] end, false
  from (
    select number, at, (extract(epoch from at) * 1000)::bigint as ms, random_key as key,
      case when a < 0.3 then 0 when a < 0.4 then 1 else 2 + (b * 997)::int end as account,
      'acme/model-' || case when c < 0.0025 then 40 else (c * c * c * 39)::int end as model,
      case when d < 0.96 then 200 when d < 0.98 then 429 when d < 0.99 then 502
        when d < 0.9999 then 499 else 504 end as status,
      case when number % 2 = 0 then case when e < 0.00001 then 'seldom'
        else 'p' || (number / 2 % 50) end end as project,
      case when e < 0.01 then 'staging' else 'prod' end as env
    from (
      select number, $1::timestamptz + number * (interval '1 day' / $2) as at,
        (power(random(), 3) * 9)::int as random_key, random() as a, random() as b, random() as c,
        random() as d, random() as e
      from generate_series(0, $2::int - 1) as number
    ) as drawn
  ) as made`;

const insertEntries = `
  insert into ledger_entries (
    id, account_id, key_id, model, route, state, reserved_nano, cost_nano, input_tokens,
    cached_input_tokens, output_tokens, estimated, usage, tags, started_at, ended_at
  )
  select id, account_id, key_id, model, 'byo', 'settled', 0, 0, 1200, 200, 400, false,
    '{"prompt_tokens":1200,"completion_tokens":400,"total_tokens":1600}', tags,
    at - interval '920 milliseconds', at
  from calls where at >= $1 and at < $2 and status = 200`;

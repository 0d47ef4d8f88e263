import type { CallLogFilters, CallLogScope } from "../../../src/call-log/find-calls.ts";
import { readTimeRange } from "../../../src/domain/time-range.ts";

/** A page that is asked for, and what finds it. */
export interface PageCase {
  readonly name: string;
  readonly index: string;
  readonly scope: CallLogScope;
  readonly filters: CallLogFilters;
  /** Goes on from a call in the middle of the days. */
  readonly isDeep?: boolean;
}

const user = (number: number) => `user_${String(number).padStart(26, "0")}`;
const key = (account: number, number: number) =>
  `key_${String(account * 10 + number).padStart(26, "0")}`;

const everything: CallLogFilters = {
  range: readTimeRange({}),
  model: undefined,
  keyId: undefined,
  status: undefined,
  errorCode: undefined,
  tag: undefined,
};

const ofAll: CallLogScope = { accountId: undefined, keyId: undefined };
/** Makes 30 % of the calls. */
const great: CallLogScope = { accountId: user(0), keyId: undefined };
/** Makes 0.06 %. */
const small: CallLogScope = { accountId: user(500), keyId: undefined };

/** Of the first account: the key that calls most, and one that calls least; and one of a small account. */
const [busyKey, quietKey, smallKey] = [
  { accountId: user(0), keyId: key(0, 0) },
  { accountId: user(0), keyId: key(0, 9) },
  { accountId: user(500), keyId: key(500, 9) },
];

function page(
  name: string,
  index: string,
  scope: CallLogScope,
  filters: Partial<CallLogFilters> = {},
) {
  return { name, index, scope, filters: { ...everything, ...filters } };
}

/** Each filter where it finds much, and where it finds little among much. */
export const pageCases: readonly PageCase[] = [
  page("a busy key", "key_id", busyKey),
  { ...page("the same, in the middle of the month", "key_id", busyKey), isDeep: true },
  page("a quiet key", "key_id", quietKey),
  page("a quiet key of a small account", "key_id", smallKey),
  page("a busy key, `model` that is rare", "model", busyKey, { model: "acme/model-40" }),
  page("a busy key, `tag` that is rare", "tagged", busyKey, { tag: "project:seldom" }),
  page("a great account", "account_id", great),
  page("a small account", "account_id", small),
  page("a great account, `from` and `to` of a day", "account_id", great, {
    range: readTimeRange({ from: "2026-11-10", to: "2026-11-10" }),
  }),
  page("a great account, `key_id` of a quiet key", "key_id", great, { keyId: key(0, 9) }),
  page("a great account, `model` of many calls", "account_id", great, { model: "acme/model-0" }),
  page("a great account, `model` that is rare", "model", great, { model: "acme/model-40" }),
  page("a great account, `status` 200", "account_id", great, { status: 200 }),
  page("a great account, `status` that is rare", "status", great, { status: 504 }),
  page("a great account, `error_code` that is rare", "error_code", great, {
    errorCode: "upstream_timeout",
  }),
  page("a great account, `tag` of many calls", "account_id", great, { tag: "env:prod" }),
  page("a great account, `tag` that is rare", "tagged", great, { tag: "project:seldom" }),
  page("a small account, `tag` that others use", "tagged", small, { tag: "project:p7" }),
  page("a small account, `tag` that nobody uses", "tagged", small, { tag: "project:none" }),
  page("all accounts", "at", ofAll),
  page("all accounts, `model` that is rare", "model", ofAll, { model: "acme/model-40" }),
  page("all accounts, `status` that is rare", "status", ofAll, { status: 504 }),
  page("all accounts, `error_code` that is rare", "error_code", ofAll, {
    errorCode: "upstream_timeout",
  }),
  page("all accounts, `tag` that is rare", "tagged", ofAll, { tag: "project:seldom" }),
];

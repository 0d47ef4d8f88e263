import {
  BudgetWindowSchema,
  type KeyBudgetLimit,
  type KeyRateLimit as RateLimitMessage,
  type UpdateKeyRequest,
} from "../../gen/ts/causeway/account/v1/key_pb.ts";
import { enumNumberToName } from "../contract/enum-name.ts";
import { invalidRequestError } from "../platform/errors.ts";
import type { CallerKeyRow } from "./caller-key.entity.ts";
import type { KeyBudget, KeyRequestLimits } from "../domain/caller-key.ts";
import type { CallerKeyPatch } from "./key-settings.ts";
import { usdToNanoDigits } from "../domain/money.ts";

/** Members of a key's budget and bucket that are to change; the others stay as they are. */
export interface CallerKeyLimitPatch {
  readonly budget?: Partial<KeyBudget>;
  readonly rateLimit?: RateLimitPart;
}

/** Here null is told from absent: it takes the key's own cap away. */
interface RateLimitPart extends Partial<Omit<KeyRequestLimits, "concurrentRequests">> {
  readonly concurrentRequests?: number | null;
}

const maxUsd = 1_000_000_000;
const maxRate = 1_000_000;

/**
 * The members that a mask names one by one, `budget.window` for instance. Throws
 * 400 with the member as `param` for a value that it cannot have.
 */
export function readCallerKeyLimitPatch(
  request: UpdateKeyRequest,
  changed: ReadonlySet<string>,
): CallerKeyLimitPatch {
  const { budget, rateLimit } = request;
  const budgetPart = {
    ...(changed.has("budget.limit_usd") && { limitNanoUsd: limitOf(budget) }),
    ...(changed.has("budget.window") && { window: windowOf(budget) }),
  };
  const ratePart = {
    ...(changed.has("rate_limit.requests_per_minute") && {
      requestsPerMinute: rateOf("requests_per_minute", rateLimit?.requestsPerMinute),
    }),
    ...(changed.has("rate_limit.burst") && { burst: rateOf("burst", rateLimit?.burst) }),
    ...(changed.has("rate_limit.concurrent_requests") && {
      concurrentRequests: capOf(rateLimit) ?? null,
    }),
  };
  return {
    ...(Object.keys(budgetPart).length > 0 && { budget: budgetPart }),
    ...(Object.keys(ratePart).length > 0 && { rateLimit: ratePart }),
  };
}

/** A whole budget. Throws 400 with the member as `param` for one that is missing or wrong. */
export function toKeyBudget(budget: KeyBudgetLimit | undefined): KeyBudget | null {
  if (budget === undefined) return null;
  return { limitNanoUsd: limitOf(budget), window: windowOf(budget) };
}

/** A whole bucket. Throws like `budgetOf`. */
export function readKeyRateLimit(rateLimit: RateLimitMessage | undefined): KeyRequestLimits | null {
  if (rateLimit === undefined) return null;
  return {
    requestsPerMinute: rateOf("requests_per_minute", rateLimit.requestsPerMinute),
    burst: rateOf("burst", rateLimit.burst),
    ...withCap(capOf(rateLimit)),
  };
}

/**
 * The settings that the changed members make together with those that the key
 * has (RFC 7396). Throws 400 with the missing member as `param` where the key
 * has none to keep.
 */
export function mergeCallerKeyLimitPatch(
  key: CallerKeyRow,
  { budget, rateLimit }: CallerKeyLimitPatch,
): CallerKeyPatch {
  return {
    ...(budget !== undefined && { budget: mergeBudget({ ...key.budget, ...budget }) }),
    ...(rateLimit !== undefined && { rateLimit: mergeRate({ ...key.rateLimit, ...rateLimit }) }),
  };
}

function mergeBudget({ limitNanoUsd, window }: Partial<KeyBudget>): KeyBudget {
  return {
    limitNanoUsd: requireExisting("budget.limit_usd", limitNanoUsd),
    window: requireExisting("budget.window", window),
  };
}

function mergeRate({
  requestsPerMinute,
  burst,
  concurrentRequests,
}: RateLimitPart): KeyRequestLimits {
  return {
    requestsPerMinute: requireExisting("rate_limit.requests_per_minute", requestsPerMinute),
    burst: requireExisting("rate_limit.burst", burst),
    ...withCap(concurrentRequests ?? undefined),
  };
}

function withCap(cap: number | undefined): Pick<KeyRequestLimits, "concurrentRequests"> {
  return cap === undefined ? {} : { concurrentRequests: cap };
}

function capOf(rateLimit: RateLimitMessage | undefined): number | undefined {
  const cap = rateLimit?.concurrentRequests;
  return cap === undefined ? undefined : rateOf("concurrent_requests", cap);
}

function requireExisting<Value>(param: string, value: Value | undefined): Value {
  if (value !== undefined) return value;
  throw invalidRequestError(param, `\`${param}\` is required, because the key has none to keep.`);
}

function limitOf(budget: KeyBudgetLimit | undefined): string {
  const param = "budget.limit_usd";
  const usd = budget?.limitUsd;
  if (usd === undefined) throw invalidRequestError(param, `\`${param}\` must have a value.`);
  if (usd >= 0 && usd <= maxUsd) return usdToNanoDigits(usd, param);
  throw invalidRequestError(param, `\`${param}\` must be from 0 to ${maxUsd}.`);
}

function windowOf(budget: KeyBudgetLimit | undefined): KeyBudget["window"] {
  const window = enumNumberToName(BudgetWindowSchema, budget?.window) as
    | KeyBudget["window"]
    | undefined;
  if (window !== undefined) return window;
  throw invalidRequestError("budget.window", "`budget.window` must be day, month or total.");
}

function rateOf(member: string, rate: number | undefined): number {
  if (rate !== undefined && rate >= 1 && rate <= maxRate) return rate;
  const param = `rate_limit.${member}`;
  throw invalidRequestError(param, `\`${param}\` must be from 1 to ${maxRate}.`);
}

import type { CallFailure } from "../call/call-failure.ts";
import type { TargetHealth } from "./pooled-target.ts";

/**
 * What the failure of a target means: it is the answer (`final`); another may serve the call
 * (`next`), and the target has failed, wants to be left alone for so long, or refused its credential.
 */
export type FailoverDecision =
  | { readonly kind: "final" | "next" | "failed" | "rejected" }
  | { readonly kind: "limited"; readonly restMs: number };

const maxCooldownMs = 60_000;

/** How long a target rests that refused what it is paid or known by. */
const rejectedCooldownMs = 60_000;

/**
 * Judges the failure of a target of an alias. `status`: of its answer, undefined for none; a
 * refused credential is told to the caller with another.
 */
export function classifyTargetFailure(
  cause: CallFailure,
  status: number | undefined,
  now: number,
): FailoverDecision {
  if (cause.catalogueCode === "internal_error") return { kind: "final" };
  // Another target's vendor may keep it.
  if (cause.code === "previous_response_not_found") return { kind: "next" };
  const said = status !== undefined && status >= 400 ? status : cause.status;
  switch (said) {
    case 401:
    case 402:
      return { kind: "rejected" };
    case 403:
      return { kind: "next" };
    case 429:
      return limitVerdict(cooldownOf(cause.retryAfter, now));
    default:
      return { kind: hasFailed(said) || cause.status >= 500 ? "failed" : "final" };
  }
}

function hasFailed(status: number): boolean {
  return status === 408 || status === 409 || status >= 500;
}

/** What is kept in mind of it for the calls to come. */
export function updateTargetHealth(target: TargetHealth, verdict: FailoverDecision): void {
  switch (verdict.kind) {
    case "failed":
      return target.onFailed();
    case "limited":
      return target.coolDown(verdict.restMs, "rate_limited");
    case "rejected":
      return target.coolDown(rejectedCooldownMs, "refused");
    case "final":
      return target.onServed();
    case "next":
  }
}

function limitVerdict(restMs: number | undefined): FailoverDecision {
  return restMs === undefined ? { kind: "failed" } : { kind: "limited", restMs };
}

/** Of `retry-after`: seconds or an HTTP date. */
function cooldownOf(retryAfter: string | undefined, now: number): number | undefined {
  if (retryAfter === undefined) return undefined;
  const isSeconds = /^\d+$/.test(retryAfter);
  const restMs = isSeconds ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - now;
  return Number.isNaN(restMs) ? undefined : Math.min(Math.max(restMs, 0), maxCooldownMs);
}

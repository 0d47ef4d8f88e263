import type { EntityManager, FilterQuery } from "@mikro-orm/postgresql";
import { takeAdvisoryLock } from "../platform/database/advisory-lock.ts";
import { ApiError } from "../platform/errors.ts";
import { signInCodeLifetimeMs } from "./sign-in-code.ts";
import { SignInCodeEntity, type SignInCode } from "./sign-in-code.entity.ts";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** How many requests for a code a network may make, in all and for one e-mail address. */
const networkLimits = [
  { perEmail: false, most: 60, windowMs: 10 * minuteMs },
  { perEmail: true, most: 10, windowMs: 10 * minuteMs },
  { perEmail: true, most: 30, windowMs: dayMs },
] as const;

/** How many codes an e-mail address has at once, whoever asks. */
const maxConcurrent = 20;
/** After so many in a day it has one at a time. Five tries each: nobody guesses eight digits. */
const maxPerDay = 60;

/** Who asks for a code, and for whom. */
export type SignInRateLimitKeys = Pick<SignInCode, "address" | "emailNormalised">;

/**
 * Counts the requests of the caller's network, then those for the e-mail
 * address, known or not. Throws 429 `rate_limited` when the network has had
 * enough, so that nobody uses up the codes of another; for the e-mail address only
 * while it has a link that works, so that many together lock nobody out. Parallel
 * requests count one after the other until the transaction of `em` ends.
 */
export async function assertSignInRateLimit(
  em: EntityManager,
  { address, emailNormalised }: SignInRateLimitKeys,
  at: Date,
): Promise<void> {
  // Always in this order, so that two requests cannot wait for each other.
  await takeAdvisoryLock(em, `sign-in address ${address}`);
  for (const { perEmail, most, windowMs } of networkLimits) {
    const who = perEmail ? { address, emailNormalised } : { address };
    if ((await countSince(em, who, at, windowMs)) >= most) throw tooManyError(windowMs);
  }
  await takeAdvisoryLock(em, `sign-in email ${emailNormalised}`);
  const today = await countSince(em, { emailNormalised }, at, dayMs);
  const latest = await countSince(em, { emailNormalised }, at, signInCodeLifetimeMs);
  if (latest >= (today < maxPerDay ? maxConcurrent : 1)) throw tooManyError(signInCodeLifetimeMs);
}

function countSince(
  em: EntityManager,
  who: FilterQuery<SignInCode>,
  at: Date,
  windowMs: number,
): Promise<number> {
  const createdAt = { $gt: new Date(at.getTime() - windowMs) };
  return em.count(SignInCodeEntity, { $and: [who, { createdAt }] });
}

function tooManyError(windowMs: number): ApiError {
  return new ApiError(
    "rate_limited",
    "Too many sign-in codes were asked for; open the link of the last message, or try again later.",
    { retryAfterSeconds: windowMs / 1000 },
  );
}

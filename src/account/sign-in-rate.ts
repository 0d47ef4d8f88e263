import type { EntityManager, FilterQuery } from "@mikro-orm/postgresql";
import { lockName } from "../platform/database/lock-name.ts";
import { ApiError } from "../platform/errors.ts";
import type { Actor } from "./audit.ts";
import type { EmailAddress } from "./email-address.ts";
import { SignInCodeSchema, type SignInCode } from "./sign-in-code.entity.ts";

const minuteMs = 60_000;

/** How many requests for a code are answered. Five tries each: nobody guesses eight digits. */
const limits = [
  { per: "email", most: 10, windowMs: 10 * minuteMs },
  { per: "email", most: 30, windowMs: 24 * 60 * minuteMs },
  { per: "address", most: 60, windowMs: 10 * minuteMs },
] as const;

/**
 * Counts the requests of the caller's address and for the e-mail address, known
 * or not. Throws 429 `rate_limited` when either has had enough. Parallel
 * requests count one after the other until the transaction of `em` ends.
 */
export async function assertSignInRate(
  em: EntityManager,
  actor: Actor,
  email: EmailAddress,
): Promise<void> {
  const counted = { address: actor.address ?? "", email: email.normalised };
  // Always in this order, so that two requests cannot wait for each other.
  await lockName(em, `sign-in address ${counted.address}`);
  await lockName(em, `sign-in email ${counted.email}`);
  for (const { per, most, windowMs } of limits) {
    const since = new Date(actor.at.getTime() - windowMs);
    const who: FilterQuery<SignInCode> =
      per === "email" ? { emailNormalised: counted.email } : { address: counted.address };
    const count = await em.count(SignInCodeSchema, { $and: [who, { createdAt: { $gt: since } }] });
    if (count >= most) throw tooMany(windowMs);
  }
}

function tooMany(windowMs: number): ApiError {
  return new ApiError("rate_limited", "Too many sign-in codes were asked for; try again later.", {
    retryAfterSeconds: windowMs / 1000,
  });
}

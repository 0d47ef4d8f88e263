import type { EntityManager } from "@mikro-orm/postgresql";
import type { ParsedEmailAddress } from "../account/email-address.ts";
import { findUserByEmail } from "../account/users.ts";
import { takeAdvisoryLock } from "../platform/database/advisory-lock.ts";
import { ApiError } from "../platform/errors.ts";
import type { CallerMembership } from "./membership.ts";
import { TeamMemberEntity } from "./team-member.entity.ts";

const maxMails = 50;
const windowMs = 24 * 60 * 60_000;

/** Both are accounts: a person with many teams mails no more than one with one. */
const senders = ["sent_by", "team_id"] as const;

interface Mails {
  readonly count: number;
  /** When the oldest of them was sent; null: there is none. */
  readonly oldest: Date | null;
}

/**
 * Counts the invites of 24 hours to addresses that never joined the team they
 * were invited to, resent ones and such that have ended included: those of the
 * caller, for a team key of its maker, and those of the team, which is locked.
 * Throws 429 `rate_limited` when either has mailed 50 and this address is one more.
 */
export async function assertInviteRateLimit(
  em: EntityManager,
  { team, userId }: Pick<CallerMembership, "team" | "userId">,
  address: ParsedEmailAddress,
  at: Date,
): Promise<void> {
  if (await hasJoined(em, team.id, address)) return;
  // The same person may invite to another team at this moment, in another process.
  await takeAdvisoryLock(em, `invites of ${userId}`);
  const ids = { sent_by: userId, team_id: team.id };
  for (const sender of senders) {
    const { count, oldest } = await mailsToStrangers(em, sender, ids[sender], at);
    if (count >= maxMails) throw tooManyError(oldest ?? at, at);
  }
}

async function hasJoined(
  em: EntityManager,
  team: string,
  { normalized: normalised }: ParsedEmailAddress,
): Promise<boolean> {
  const user = await findUserByEmail(em, normalised);
  if (user === undefined) return false;
  return (await em.count(TeamMemberEntity, { team, user: user.id })) > 0;
}

async function mailsToStrangers(
  em: EntityManager,
  sender: (typeof senders)[number],
  id: string,
  at: Date,
): Promise<Mails> {
  const since = new Date(at.getTime() - windowMs);
  const [mails] = await em.execute<Mails[]>(
    `select count(*)::int as count, min(created_at) as oldest from team_invites i
       where i.${sender} = ? and i.created_at > ? and not exists (
         select from team_members m join users u on u.id = m.user_id
           where m.team_id = i.team_id and u.deleted_at is null
             and u.email_normalised = i.email_normalised)`,
    [id, since],
  );
  return mails ?? { count: 0, oldest: null };
}

function tooManyError(oldest: Date, at: Date): ApiError {
  const waitMs = new Date(oldest).getTime() + windowMs - at.getTime();
  return new ApiError(
    "rate_limited",
    `A person and a team may each mail ${maxMails.toString()} invites in 24 hours to addresses that never joined; wait until the oldest is that old, or until somebody accepts.`,
    { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) },
  );
}

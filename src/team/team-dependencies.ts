import type { AccountDataEraser } from "../account/users.ts";
import type { MailQueue } from "../platform/mail/mail-queue.ts";
import type { TeamInviteCodes } from "./invite-codes.ts";
import type { MembershipChangeHooks } from "./pooled-items.ts";

/** What the operations on teams need of other domains. */
export interface TeamDependencies {
  readonly pooledItems: MembershipChangeHooks;
  /** One per domain that keeps rows of accounts: a team is one, and takes them along. */
  readonly erase: readonly AccountDataEraser[];
  readonly mail: Pick<MailQueue, "enqueue" | "deliver" | "withdraw">;
  readonly codes: TeamInviteCodes;
  /** Where the link of an invite points. */
  readonly publicUrl: () => string;
  /** How long the answer to an invite waits for its mail, in milliseconds. */
  readonly firstAttemptMs: number;
}

import { MailQueue } from "../../src/platform/mail/mail-queue.ts";
import type { MailDeliveryError, MailMessage } from "../../src/platform/mail/mail-transport.ts";
import type { User } from "../../src/account/user.entity.ts";
import { TeamInviteCodes } from "../../src/team/invite-codes.ts";
import { agentExtensionMembershipHooks } from "../../src/team/item/member-items.ts";
import type { TeamDependencies } from "../../src/team/team-dependencies.ts";
import { createTeam } from "../../src/team/teams.ts";
import { silentLog, type AccountFixture } from "../account/account-fixture.ts";

/** A mail server that a test can break. */
export class FakeMailbox {
  /** What was handed over, by the id of the message. */
  readonly sent: { readonly id: string; readonly message: MailMessage }[] = [];
  /** What was tried, by the id of the message. */
  readonly tried: string[] = [];
  /** Waited for by every attempt. */
  blocked: Promise<void> = Promise.resolve();
  failure: MailDeliveryError | undefined;

  async send(id: string, message: MailMessage): Promise<void> {
    this.tried.push(id);
    await this.blocked;
    if (this.failure !== undefined) throw this.failure;
    this.sent.push({ id, message });
  }
}

/** The operations on teams over a database of a test's own, with time that the test moves. */
export function teamParts(accounts: AccountFixture, firstAttemptMs = 5_000) {
  const { fork, box, clock, hasher } = accounts;
  const post = new FakeMailbox();
  const queue = new MailQueue({ fork, box, transport: post, clock, log: silentLog });
  const dependencies: TeamDependencies = {
    pooledItems: agentExtensionMembershipHooks,
    erase: [],
    mail: queue,
    codes: new TeamInviteCodes(hasher, box),
    publicUrl: () => "https://gateway.example.com",
    firstAttemptMs,
  };
  const found = async (owner: User) => {
    const { team } = await createTeam(fork(), accounts.sessionActor(owner.id), { name: "Crew" });
    return team.id;
  };
  return { post, queue, dependencies, found };
}

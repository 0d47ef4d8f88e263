import { newResourceId } from "../../../src/platform/ids.ts";
import { ApiError } from "../../../src/platform/errors.ts";
import { callerKeyScopes, type Principal } from "../../../src/platform/principal.ts";
import { insertUser, setUserDisabled } from "../../../src/account/users.ts";
import { parseEmailAddress } from "../../../src/account/email-address.ts";
import type { User } from "../../../src/account/user.entity.ts";
import { acceptInvite } from "../../../src/team/accept-invite.ts";
import { createInvite, resendInvite, revokeInvite } from "../../../src/team/invites.ts";
import {
  promoteMemberToOwner,
  confirmMember,
  removeMember,
  updateMember,
} from "../../../src/team/members.ts";
import { TeamInviteEntity, type TeamInvite } from "../../../src/team/team-invite.entity.ts";
import { createTeamMembershipLookup } from "../../../src/team/team-memberships.ts";
import { TeamMemberEntity } from "../../../src/team/team-member.entity.ts";
import { TeamEntity } from "../../../src/team/team.entity.ts";
import { createTeam, deleteTeam, updateTeam } from "../../../src/team/teams.ts";
import type { AccountFixture } from "../../account/account-fixture.ts";
import { teamParts } from "../team-fixture.ts";
import type { Caller, Outcome, Step } from "./model.ts";
import { peopleCount } from "./steps.ts";

const neverIssued = "inv_0000000000000000000000000000";
const noTeam = "team_00000000000000000000000000";
const day = 24 * 60 * 60_000;

/** The real thing, driven by the model's steps, with people of a run's own. */
export class RealTeams {
  readonly #accounts: AccountFixture;
  readonly #dependencies;
  readonly #memberships;
  readonly #people: User[];
  readonly #teams: string[] = [];
  readonly #codes: string[] = [];

  private constructor(accounts: AccountFixture, people: User[]) {
    const { dependencies } = teamParts(accounts);
    // Mail is another test's; here it would cost more than the rest.
    const mail = {
      enqueue: () => newResourceId("mail"),
      deliver: () => Promise.resolve(true),
      withdraw: () => Promise.resolve(),
    };
    this.#accounts = accounts;
    this.#people = people;
    this.#dependencies = { ...dependencies, mail };
    this.#memberships = createTeamMembershipLookup({ ...dependencies, clock: accounts.clock });
  }

  static async open(accounts: AccountFixture): Promise<RealTeams> {
    const em = accounts.fork();
    const actor = accounts.actor();
    const people = Array.from({ length: peopleCount }, () =>
      insertUser(em, actor, parseEmailAddress(`${newResourceId("user")}@example.org`), null),
    );
    await em.flush();
    return new RealTeams(accounts, people);
  }

  /** What the step comes to. */
  async take(step: Step): Promise<Outcome> {
    this.#accounts.clock.advance(1);
    try {
      await this.#do(step);
      return "ok";
    } catch (error) {
      if (error instanceof ApiError) return error.code as Outcome;
      throw error;
    }
  }

  /** The same as `Model.stateOf`, read from the tables. */
  async stateOf(team: number) {
    const em = this.#accounts.fork();
    const id = this.#team(team);
    const row = await em.findOne(TeamEntity, { id });
    const members = await em.find(
      TeamMemberEntity,
      { team: id, leftAt: null },
      { orderBy: { joinedAt: "asc", user: "asc" } },
    );
    const pending = { team: id, state: "pending", expiresAt: { $gt: this.#at() } } as const;
    const invites = await em.find(TeamInviteEntity, pending, {
      orderBy: { createdAt: "asc", id: "asc" },
    });
    const emails = this.#people.map(({ emailNormalised }) => emailNormalised);
    return {
      deleted: (row?.deletedAt ?? null) !== null || row === null,
      count: row?.memberCount ?? 0,
      members: members.map(({ user, role, confirmed, groups }) => ({
        person: this.#people.findIndex((person) => person.id === user.id),
        role,
        confirmed,
        grouped: groups.length > 0,
      })),
      invites: invites.map(({ emailNormalised, role }) => ({
        person: emails.indexOf(emailNormalised),
        role,
      })),
    };
  }

  async #do(step: Step): Promise<void> {
    const em = this.#accounts.fork();
    const dependencies = this.#dependencies;
    const actor = this.#accounts.actor("by" in step ? this.#principal(step.by) : undefined);
    const team = "team" in step ? this.#team(step.team) : noTeam;
    const person = "person" in step ? this.#person(step.person) : this.#person(0);
    const code = "code" in step ? (this.#codes.at(-1 - step.code) ?? neverIssued) : neverIssued;
    switch (step.kind) {
      case "create": {
        const made = await createTeam(em, actor, { name: "Crew" });
        return void this.#teams.push(made.team.id);
      }
      case "invite": {
        const input = { email: person.email, role: step.role };
        return this.#keep(await createInvite(em, actor, team, input, dependencies));
      }
      case "resend":
        return this.#keep(await resendInvite(em, actor, team, code, dependencies));
      case "revoke":
        return revokeInvite(em, actor, team, code, dependencies);
      case "accept":
        return void (await acceptInvite(em, actor, code, {}, dependencies));
      case "role":
        return void (await updateMember(em, actor, team, person.id, { role: step.role }));
      case "groups":
        return void (await updateMember(em, actor, team, person.id, { groups: ["night"] }));
      case "remove":
        return removeMember(em, actor, team, person.id, dependencies);
      case "confirm":
        return void (await confirmMember(em, actor, team, person.id));
      case "manual":
        return void (await updateTeam(em, actor, team, { requireManualConfirm: step.on }));
      case "delete":
        return deleteTeam(em, actor, team, dependencies);
      case "promote":
        return void (await promoteMemberToOwner(em, actor, team, person.id));
      case "disable":
      case "enable": {
        const disabled = step.kind === "disable";
        return void (await setUserDisabled(em, actor, person.id, disabled, this.#memberships));
      }
      case "wait":
        return this.#accounts.clock.advance(step.days * day);
    }
  }

  #keep(invite: TeamInvite): void {
    this.#codes.push(this.#dependencies.codes.open(invite));
  }

  #principal({ person, asKeyOf }: Caller): Principal {
    const { id: userId } = this.#person(person);
    if (asKeyOf === undefined) {
      return { kind: "session", sessionId: "session_test", accountId: userId, userId };
    }
    const teamId = this.#team(asKeyOf);
    const key = { kind: "key", keyId: "key_test", accountId: teamId, userId, teamId } as const;
    return { ...key, scopes: new Set(callerKeyScopes) };
  }

  #team(index: number): string {
    return this.#teams[index] ?? noTeam;
  }

  #person(index: number): User {
    const person = this.#people[index];
    if (person === undefined) throw new Error(`there is no person ${index.toString()}`);
    return person;
  }

  #at(): Date {
    return new Date(this.#accounts.clock.now());
  }
}

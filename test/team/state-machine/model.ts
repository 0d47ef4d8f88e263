/**
 * What teams are supposed to do, in the smallest words: arrays, and numbers in
 * place of names. Written from docs/contract.md and docs/teams.md and not from the code, whose functions
 * it does not use.
 */
export type Role = "owner" | "admin" | "editor" | "member";

export type Refusal =
  | "not_found"
  | "insufficient_scope"
  | "conflict"
  | "last_owner"
  | "invalid_request"
  | "invite_email_mismatch";

export type Outcome = "ok" | Refusal;

/** Who calls: a person, or a team key that the person made in that team. */
export interface Caller {
  readonly person: number;
  readonly asKeyOf: number | undefined;
}

/** `code` says how many codes were issued since: 0 is the newest. */
export type Step =
  | { readonly kind: "create"; readonly by: Caller }
  | {
      readonly kind: "invite";
      readonly by: Caller;
      readonly team: number;
      readonly person: number;
      readonly role: Role;
    }
  | {
      readonly kind: "resend" | "revoke";
      readonly by: Caller;
      readonly team: number;
      readonly code: number;
    }
  | { readonly kind: "accept"; readonly by: Caller; readonly code: number }
  | {
      readonly kind: "role";
      readonly by: Caller;
      readonly team: number;
      readonly person: number;
      readonly role: Role;
    }
  | {
      readonly kind: "groups" | "remove" | "confirm";
      readonly by: Caller;
      readonly team: number;
      readonly person: number;
    }
  | { readonly kind: "manual"; readonly by: Caller; readonly team: number; readonly on: boolean }
  | { readonly kind: "delete"; readonly by: Caller; readonly team: number }
  | { readonly kind: "promote"; readonly team: number; readonly person: number }
  | { readonly kind: "disable" | "enable"; readonly person: number }
  | { readonly kind: "wait"; readonly days: number };

interface Member {
  readonly person: number;
  role: Role;
  confirmed: boolean;
  grouped: boolean;
}

interface Invite {
  readonly team: number;
  readonly person: number;
  readonly role: Role;
  readonly until: number;
  over: boolean;
}

interface Team {
  manual: boolean;
  deleted: boolean;
  /** In join order. */
  members: Member[];
}

const day = 24 * 60 * 60_000;
const heights: Readonly<Record<Role, number>> = { member: 1, editor: 2, admin: 3, owner: 4 };

export class Model {
  /** Milliseconds since the run began. */
  now = 0;
  readonly teams: Team[] = [];
  /** Every invite by the code that it was issued under, in that order. */
  readonly invites: Invite[] = [];
  readonly disabled = new Set<number>();

  /** What the step should come to; the model is then as it should be after it. */
  take(step: Step): Outcome {
    this.now += 1;
    switch (step.kind) {
      case "create":
        return this.#create(step.by);
      case "invite":
        return this.#invite(step);
      case "resend":
        return this.#resend(step);
      case "revoke":
        return this.#revoke(step);
      case "accept":
        return this.#accept(step);
      case "promote":
        return this.#promote(step.team, step.person);
      case "disable":
        return this.#disable(step.person);
      case "enable":
        this.disabled.delete(step.person);
        return "ok";
      case "wait":
        this.now += step.days * day;
        return "ok";
      default:
        return this.#inTeam(step);
    }
  }

  /** The members of a team in join order, and the pending invites in sending order. */
  stateOf(team: number) {
    const { members = [], deleted = true } = this.teams[team] ?? {};
    const pending = this.invites.filter((it) => it.team === team && this.#isPending(it));
    return {
      deleted,
      members: members.map((member) => ({ ...member })),
      invites: pending.map(({ person, role }) => ({ person, role })),
    };
  }

  #create({ person, asKeyOf }: Caller): Outcome {
    if (asKeyOf !== undefined) return "insufficient_scope";
    const owner: Member = { person, role: "owner", confirmed: true, grouped: false };
    this.teams.push({ manual: false, deleted: false, members: [owner] });
    return "ok";
  }

  #invite({ by, team, person, role }: Step & { kind: "invite" }): Outcome {
    const seat = this.#seat(by, team);
    if (seat === undefined) return "not_found";
    if (seat.height < 3 || heights[role] >= seat.height) return "insufficient_scope";
    if (this.#member(team, person) !== undefined) return "invalid_request";
    for (const it of this.invites) if (it.team === team && it.person === person) it.over = true;
    this.#issue(team, person, role);
    return "ok";
  }

  #resend({ by, team, code }: Step & { kind: "resend" | "revoke" }): Outcome {
    const seat = this.#seat(by, team);
    const invite = this.invites.at(-1 - code);
    if (seat === undefined || invite?.team !== team) return "not_found";
    if (seat.height < 3 || heights[invite.role] >= seat.height) return "insufficient_scope";
    if (!this.#isPending(invite)) return "conflict";
    invite.over = true;
    this.#issue(team, invite.person, invite.role);
    return "ok";
  }

  #revoke({ by, team, code }: Step & { kind: "resend" | "revoke" }): Outcome {
    const seat = this.#seat(by, team);
    const invite = this.invites.at(-1 - code);
    if (seat === undefined || invite?.team !== team || !this.#isPending(invite)) return "not_found";
    if (seat.height < 3) return "insufficient_scope";
    invite.over = true;
    return "ok";
  }

  #accept({ by, code }: Step & { kind: "accept" }): Outcome {
    if (by.asKeyOf !== undefined) return "insufficient_scope";
    const invite = this.invites.at(-1 - code);
    if (invite === undefined) return "not_found";
    if (invite.person !== by.person) return "invite_email_mismatch";
    const team = this.teams[invite.team];
    if (!this.#isPending(invite) || team === undefined) return "conflict";
    invite.over = true;
    const { person, role } = invite;
    team.members.push({ person, role, confirmed: !team.manual, grouped: false });
    return "ok";
  }

  #inTeam(
    step: Step & { kind: "role" | "groups" | "remove" | "confirm" | "manual" | "delete" },
  ): Outcome {
    const seat = this.#seat(step.by, step.team);
    const team = this.teams[step.team];
    if (seat === undefined || team === undefined) return "not_found";
    if (step.kind === "delete") return this.#delete(step.team, team, seat.height);
    if (step.kind === "manual") {
      if (seat.height < 3 || !seat.confirmed) return "insufficient_scope";
      team.manual = step.on;
      return "ok";
    }
    const member = this.#member(step.team, step.person);
    if (member === undefined) return "not_found";
    const isSelf = step.by.asKeyOf === undefined && step.person === step.by.person;
    const isBelow = heights[member.role] < seat.height;
    switch (step.kind) {
      case "role":
        if (seat.height < 3 || !isBelow || heights[step.role] >= seat.height)
          return "insufficient_scope";
        member.role = step.role;
        return "ok";
      case "groups":
        if (seat.height < 3 || !(isBelow || isSelf)) return "insufficient_scope";
        member.grouped = true;
        return "ok";
      case "confirm":
        if (seat.height < 3 || !seat.confirmed) return "insufficient_scope";
        member.confirmed = true;
        return "ok";
      case "remove":
        if (!isSelf && seat.height < 4 && !(seat.height === 3 && isBelow))
          return "insufficient_scope";
        if (this.#isLastOwner(team, member)) return "last_owner";
        team.members = team.members.filter((it) => it !== member);
        return "ok";
    }
  }

  #delete(index: number, team: Team, height: number): Outcome {
    if (height < 4) return "insufficient_scope";
    team.deleted = true;
    team.members = [];
    for (const it of this.invites) if (it.team === index) it.over = true;
    return "ok";
  }

  #promote(team: number, person: number): Outcome {
    const member = this.#member(team, person);
    if (member === undefined) return "not_found";
    Object.assign(member, { role: "owner", confirmed: true });
    return "ok";
  }

  #disable(person: number): Outcome {
    if (this.disabled.has(person)) return "ok";
    for (const team of this.teams) {
      const member = team.members.find((it) => it.person === person);
      if (member !== undefined && this.#isLastOwner(team, member)) return "last_owner";
    }
    this.disabled.add(person);
    return "ok";
  }

  #isLastOwner({ members }: Team, member: Member): boolean {
    if (member.role !== "owner") return false;
    return !members.some(
      (it) => it !== member && it.role === "owner" && !this.disabled.has(it.person),
    );
  }

  #issue(team: number, person: number, role: Role): void {
    this.invites.push({ team, person, role, until: this.now + 7 * day, over: false });
  }

  #isPending({ over, until }: Invite): boolean {
    return !over && until > this.now;
  }

  #member(team: number, person: number): Member | undefined {
    return this.teams[team]?.members.find((it) => it.person === person);
  }

  #seat({ person, asKeyOf }: Caller, team: number) {
    const member = this.#member(team, person);
    if (member === undefined || (asKeyOf !== undefined && asKeyOf !== team)) return undefined;
    const height = asKeyOf === undefined ? heights[member.role] : Math.min(3, heights[member.role]);
    return { height, confirmed: member.confirmed };
  }
}

import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { afterAll, beforeAll } from "vitest";
import type { TeamRank } from "../../src/account/team-membership.ts";
import { insertTeam } from "../support/team-rows.ts";
import {
  startTestInstance,
  type RestAnswer,
  type TestInstance,
  type TestInstanceOptions,
  type TestUser,
} from "../support/test-instance.ts";

/** A team with one person per role, in the order that the roles were named in. */
export interface TeamOf<Roles extends readonly TeamRank[]> {
  readonly id: string;
  readonly path: string;
  readonly people: { readonly [Index in keyof Roles]: TestUser };
}

/** A running server, and short words for what the tests of teams do to it. */
export class TeamWorld {
  #causeway: TestInstance | undefined;

  get causeway(): TestInstance {
    if (this.#causeway === undefined) throw new Error("the server starts in beforeAll");
    return this.#causeway;
  }

  async open(options: TestInstanceOptions): Promise<void> {
    this.#causeway = await startTestInstance(options);
  }

  async close(): Promise<void> {
    await this.#causeway?.close();
  }

  readonly call: TestInstance["call"] = (...parts) => this.causeway.call(...parts);

  user(email?: string): Promise<TestUser> {
    return this.causeway.createUser(email);
  }

  /** A call of a person. */
  as(user: TestUser, method: string, path: string, body?: unknown): Promise<RestAnswer> {
    return this.call(method, path, { token: user.session, body });
  }

  /** Makes a team with one new person per role that is named. */
  async team<const Roles extends readonly TeamRank[]>(...roles: Roles): Promise<TeamOf<Roles>> {
    const people: TestUser[] = [];
    while (people.length < roles.length) people.push(await this.user());
    const rows = roles.map((role, index) => ({ userId: people[index]?.id ?? "", role }));
    const id = await insertTeam(this.causeway.connectionString, rows);
    await this.sql("update teams set require_manual_confirm = false where id = $1", [id]);
    return { id, path: `/v1/teams/${id}`, people: people as unknown as TeamOf<Roles>["people"] };
  }

  /** A new team of one person, made through the interface. */
  async ownTeam(): Promise<{ path: string; id: string; owner: TestUser }> {
    const owner = await this.user();
    const { body } = await this.as(owner, "POST", "/v1/teams", { name: "Crew" });
    return { id: body.id, path: `/v1/teams/${body.id}`, owner };
  }

  /** Invites somebody and accepts in that person's name. */
  async join(
    team: { readonly path: string },
    by: TestUser,
    user: TestUser,
    role: TeamRank = "member",
  ): Promise<RestAnswer> {
    const { code } = (await this.invite(team, by, user.email, role)).body;
    return this.as(user, "POST", `/v1/team_invites/${code}/accept`);
  }

  invite(
    { path }: { readonly path: string },
    by: TestUser,
    email = newAddress(),
    role?: TeamRank,
  ): Promise<RestAnswer> {
    return this.as(by, "POST", `${path}/invites`, { email, ...(role !== undefined && { role }) });
  }

  /** User ids of a team's members, in list order. */
  async memberIds({ path }: { readonly path: string }, by: TestUser): Promise<string[]> {
    const { body } = await this.as(by, "GET", `${path}/members?limit=100`);
    return body.data.map(({ user_id }: { user_id: string }) => user_id);
  }

  /** The types of a team's audit events, oldest first. */
  async auditTypes({ path }: { readonly path: string }, by: TestUser): Promise<string[]> {
    const { body } = await this.as(by, "GET", `${path}/audit?limit=100`);
    return body.data.map(({ type }: { type: string }) => type);
  }

  /** Changes what no call can change: times that pass. */
  async sql(text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    const client = new Client({ connectionString: this.causeway.connectionString });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text, [...values])).rows;
    } finally {
      await client.end();
    }
  }

  /** Lets seven days and a moment pass for every invite. */
  async expireInvites(): Promise<void> {
    await this.sql("update team_invites set expires_at = now() - interval '1 second'");
  }
}

/** Starts a server for the tests of a file. */
export function useTeamWorld(options: TestInstanceOptions = {}): TeamWorld {
  const world = new TeamWorld();
  beforeAll(() => world.open(options));
  afterAll(() => world.close());
  return world;
}

export function newAddress(): string {
  return `${randomBytes(6).toString("hex")}@example.org`;
}

/** A refusal as tests compare it. */
export function refusal(status: number, error: string, param?: string) {
  return { status, body: { error, ...(param !== undefined && { param }) } };
}

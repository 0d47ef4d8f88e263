/** Pools of teams: what members share, see and take back. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TeamRank } from "../../../src/account/team-membership.ts";
import { selectRows } from "../../support/select-rows.ts";
import { insertTeam, type SeatRow } from "../../support/team-rows.ts";
import {
  startTestInstance,
  type RestAnswer,
  type TestInstance,
  type TestUser,
} from "../../support/test-instance.ts";

const ranks: readonly TeamRank[] = ["owner", "admin", "editor", "member"];

let causeway: TestInstance;
let statements: string[] = [];
let people: Readonly<Record<TeamRank, TestUser>>;
let stranger: TestUser;

beforeAll(async () => {
  causeway = await startTestInstance({ statementObserver: (sql) => statements.push(sql) });
  const users = await Promise.all(ranks.map(() => causeway.createUser()));
  people = Object.fromEntries(ranks.map((rank, index) => [rank, users[index]])) as typeof people;
  stranger = await causeway.createUser();
});

afterAll(() => causeway.close());

describe("poolItem", () => {
  it("[team.pool] [items.answers] puts an item at the end of the pool, shows it, and leaves one that is there", async () => {
    const team = await makeTeam();
    const [first, second] = [await rules(people.owner), await rules(people.member)];
    expect(await pool(people.owner, team, first)).toEqual(
      expect.objectContaining({ status: 200, body: expect.objectContaining({ id: first }) }),
    );
    await pool(people.member, team, second);
    const again = await pool(people.owner, team, first);
    expect(again).toMatchObject({ status: 200, body: { id: first, user_id: people.owner.id } });
    const { body } = await list(people.editor, team);
    expect(idsOf(body)).toEqual([first, second]);
    expect(await auditOf(team)).toMatchObject([
      { type: "item.pooled", target: first, after: { user_id: people.owner.id, kind: "rules" } },
      { type: "item.pooled", target: second, actor_user_id: people.member.id },
    ]);
  });

  it("puts one that was taken out at the end again", async () => {
    const team = await makeTeam();
    const [first, second] = [await rules(people.owner), await rules(people.owner)];
    for (const id of [first, second]) await pool(people.owner, team, id);
    await unpool(people.owner, team, first);
    await pool(people.owner, team, first);
    expect(idsOf((await list(people.owner, team)).body)).toEqual([second, first]);
  });

  describe.each([
    ["members", [200, 200, 200, 200]],
    ["editors", [200, 200, 200, 403]],
  ] as const)("under the share policy %s", (policy, statuses) => {
    it.each(ranks.map((rank, index) => [rank, statuses[index]] as const))(
      "[items.policy] answers %s with %d",
      async (rank, status) => {
        const team = await makeTeam(policy);
        const answer = await pool(people[rank], team, await rules(people[rank]));
        expect(answer.status).toBe(status);
        if (status === 403) expect(answer.body.error).toBe("insufficient_scope");
        expect((await list(people.owner, team)).body.data).toHaveLength(status === 200 ? 1 : 0);
      },
    );
  });

  it("pools nobody else's item", async () => {
    const team = await makeTeam();
    const foreign = await rules(people.member);
    expect(await pool(people.owner, team, foreign)).toMatchObject({
      status: 404,
      body: { error: "not_found" },
    });
  });
});

describe("unpoolItem", () => {
  it.each([
    ["owner", 200],
    ["admin", 200],
    ["editor", 403],
  ] as const)("of another member's item answers %s with %d", async (rank, status) => {
    const team = await makeTeam();
    const id = await rules(people.member);
    await pool(people.member, team, id);
    const answer = await unpool(people[rank], team, id);
    expect(answer.status).toBe(status);
    expect((await list(people.owner, team)).body.data).toHaveLength(status === 200 ? 0 : 1);
  });

  it("[items.answers] of an own item needs no rank", async () => {
    const team = await makeTeam();
    const id = await rules(people.member);
    await pool(people.member, team, id);
    expect(await unpool(people.member, team, id)).toMatchObject({ status: 200, body: { id } });
    const events = await auditOf(team);
    expect(events.at(-1)).toMatchObject({ type: "item.unpooled", target: id });
  });

  it("of an item that is not in the pool is 404", async () => {
    const team = await makeTeam();
    const id = await rules(people.owner);
    expect((await unpool(people.owner, team, id)).status).toBe(404);
    await pool(people.owner, team, id);
    await unpool(people.owner, team, id);
    expect((await unpool(people.owner, team, id)).status).toBe(404);
  });
});

describe("a team key", () => {
  const scopes = ["teams:read", "teams:write"];

  it("reads its team's pool and acts there with its maker's rank, not on its maker's items", async () => {
    const [team, other] = [await makeTeam(), await makeTeam()];
    const [first, second] = [await rules(people.member), await rules(people.member)];
    for (const id of [first, second]) await pool(people.member, team, id);
    const ofMember = await people.member.createKey({ team_id: team, scopes });
    const ofOwner = await people.owner.createKey({ team_id: team, scopes });
    const as = (secret: string): TestUser => ({ ...people.member, session: secret });
    expect(idsOf((await list(as(ofMember.secret), team)).body)).toEqual([first, second]);
    expect((await list(as(ofMember.secret), other)).status).toBe(404);
    expect((await unpool(as(ofMember.secret), team, first)).status).toBe(403);
    expect((await unpool(as(ofOwner.secret), team, first)).status).toBe(200);
    expect((await auditOf(team)).at(-1)).toMatchObject({
      type: "item.unpooled",
      actor_key_id: ofOwner.id,
    });
  });
});

describe("a pool", () => {
  it("does not exist for strangers", async () => {
    const team = await makeTeam();
    const id = await rules(people.owner);
    await pool(people.owner, team, id);
    const own = await rules(stranger);
    const answers = [
      await list(stranger, team),
      await pool(stranger, team, own),
      await unpool(stranger, team, id),
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 404, body: { error: "not_found" } });
    }
  });

  it("shows MCP servers without headers to who waits for confirmation", async () => {
    const team = await insertTeam(causeway.connectionString, [
      { userId: people.owner.id, role: "owner" },
      { userId: people.member.id, role: "member", confirmed: false },
    ]);
    const fields = { kind: "mcp", url: "http://127.0.0.1:9/mcp", headers: { authorization: "s" } };
    const id = await create(people.owner, fields);
    const own = await create(people.member, fields);
    await pool(people.owner, team, id);
    expect((await pool(people.member, team, own)).body).not.toHaveProperty("headers");
    const confirmed = await list(people.owner, team);
    expect(confirmed.body.data).toMatchObject([
      { id, headers: { authorization: "[redacted]" } },
      { id: own, headers: { authorization: "[redacted]" } },
    ]);
    const { body } = await list(people.member, team);
    expect(idsOf(body)).toEqual([id, own]);
    for (const item of body.data) expect(item).not.toHaveProperty("headers");
    expect((await unpool(people.member, team, own)).body).not.toHaveProperty("headers");
  });

  it("follows changes of its items, and tells its team of them", async () => {
    const [team, other] = [await makeTeam(), await makeTeam()];
    const id = await rules(people.owner);
    for (const place of [team, other]) await pool(people.owner, place, id);
    const path = `/v1/items/${id}`;
    const token = people.owner.session;
    await causeway.call("PATCH", path, { token, body: { text: "Changed.", name: "New" } });
    expect((await list(people.member, team)).body.data).toMatchObject([{ text: "Changed." }]);
    await causeway.call("DELETE", path, { token });
    for (const place of [team, other]) {
      expect((await list(people.member, place)).body.data).toEqual([]);
      expect(await auditOf(place)).toMatchObject([
        { type: "item.pooled" },
        { type: "item.updated", target: id, after: { name: "New", content_revision: 1 } },
        { type: "item.unpooled", target: id },
      ]);
    }
  });

  it("is left whole by many who pool and delete at the same time", async () => {
    const team = await makeTeam();
    const ids = await Promise.all(Array.from({ length: 12 }, () => rules(people.owner)));
    const token = people.owner.session;
    const answers = await Promise.all(
      ids.flatMap((id, index) => [
        pool(people.owner, team, id),
        pool(people.owner, team, id),
        ...(index % 3 === 0 ? [causeway.call("DELETE", `/v1/items/${id}`, { token })] : []),
        ...(index % 3 === 1 ? [unpool(people.owner, team, id)] : []),
      ]),
    );
    for (const { status } of answers) expect([200, 404]).toContain(status);
    const { body } = await list(people.owner, team, "?limit=100");
    const own = await causeway.call("GET", "/v1/items?limit=100", { token });
    const kept = ids.filter((_, index) => index % 3 === 2);
    expect(idsOf(body)).toEqual(expect.arrayContaining(kept));
    expect(idsOf(own.body)).toEqual(expect.arrayContaining(idsOf(body)));
  });

  it("is read in the same number of statements, however many items it has", async () => {
    const team = await makeTeam();
    const counts: number[] = [];
    for (let size = 1; size <= 9; size += 4) {
      for (let count = 0; count < 4; count++) {
        await pool(people.owner, team, await rules(people.owner));
      }
      statements = [];
      await list(people.owner, team, "?limit=100");
      counts.push(statements.filter((sql) => /pooled_items|"items"/.test(sql)).length);
    }
    expect(counts).toEqual([3, 3, 3]);
  });
});

function seatsOfAll(): SeatRow[] {
  return ranks.map((role) => ({ userId: people[role].id, role }));
}

function makeTeam(policy: "members" | "editors" = "members"): Promise<string> {
  return insertTeam(causeway.connectionString, seatsOfAll(), policy);
}

async function create({ session: token }: TestUser, body: unknown): Promise<string> {
  const answer = await causeway.call("POST", "/v1/items", { token, body });
  return answer.body.id as string;
}

function rules(user: TestUser): Promise<string> {
  return create(user, { kind: "rules", text: "Be brief." });
}

function pool({ session: token }: TestUser, team: string, item: string): Promise<RestAnswer> {
  return causeway.call("PUT", `/v1/teams/${team}/items/${item}`, { token });
}

function unpool({ session: token }: TestUser, team: string, item: string): Promise<RestAnswer> {
  return causeway.call("DELETE", `/v1/teams/${team}/items/${item}`, { token });
}

function list({ session: token }: TestUser, team: string, query = ""): Promise<RestAnswer> {
  return causeway.call("GET", `/v1/teams/${team}/items${query}`, { token });
}

function idsOf(body: RestAnswer["body"]): string[] {
  return (body.data as { readonly id: string }[]).map(({ id }) => id);
}

/** The events of a team, oldest first. */
function auditOf(team: string): Promise<Record<string, unknown>[]> {
  const sql = "select * from audit_events where account_id = $1 order by at, id";
  return selectRows(causeway.connectionString, sql, team);
}

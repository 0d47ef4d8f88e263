/** Keys of a team from outside. */
import { describe, expect, it } from "vitest";
import type { TeamRank } from "../../src/account/team-membership.ts";
import { callerKeyScopes } from "../../src/platform/principal.ts";
import { teamRanksHighestFirst } from "../../src/team/ranks.ts";
import type { TestUser } from "../support/test-instance.ts";
import { newAddress, refusal, useTeamWorld } from "./team-world.ts";

const world = useTeamWorld();

/** A team key that a member makes, with every scope. */
async function teamKey(teamId: string, maker: TestUser): Promise<{ id: string; secret: string }> {
  const body = { team_id: teamId, scopes: [...callerKeyScopes] };
  const answer = await world.as(maker, "POST", "/v1/keys", body);
  expect(answer.status).toBe(201);
  return { id: answer.body.key.id, secret: answer.body.secret };
}

/** How a key is answered that reads its team. */
async function statusOf(token: string, teamId: string, over: "REST" | "Connect" = "REST") {
  const connect = "/causeway.team.v1.TeamService/GetTeam";
  const answer =
    over === "REST"
      ? await world.call("GET", `/v1/teams/${teamId}`, { token })
      : await world.call("POST", connect, { token, body: { teamId } });
  return answer.status;
}

const actsWith: Readonly<Record<TeamRank, TeamRank>> = {
  owner: "admin",
  admin: "admin",
  editor: "editor",
  member: "member",
};

describe("a team key", () => {
  it("names its team in place of its maker", async () => {
    const { id, people } = await world.team("owner", "member");
    const [, member] = people;
    const answer = await world.as(member, "POST", "/v1/keys", { team_id: id });
    expect(answer.body.key).toMatchObject({ team_id: id, scopes: ["gateway:invoke"] });
    expect(answer.body.key).not.toHaveProperty("user_id");
  });

  it("is made by members alone", async () => {
    const { id } = await world.ownTeam();
    const stranger = await world.user();
    const answer = await world.as(stranger, "POST", "/v1/keys", { team_id: id });
    expect(answer).toMatchObject(refusal(404, "not_found"));
  });

  it("[operations.team-key] is made by the operator in a member's name", async () => {
    const { id, path, people } = await world.team("owner", "editor");
    const [, editor] = people;
    const key = await editor.createKey({ team_id: id, scopes: ["teams:read"] });
    const { body } = await world.call("GET", path, { token: key.secret });
    expect(body).toMatchObject({ id, role: "editor" });
    const token = world.causeway.adminToken;
    const listed = await world.call("GET", `/v1/admin/users/${editor.id}/keys`, { token });
    expect(listed.body.data).toMatchObject([{ id: key.id, team_id: id }]);
    const stranger = await world.user();
    const route = `/v1/admin/users/${stranger.id}/keys`;
    const refused = await world.call("POST", route, { token, body: { team_id: id } });
    expect(refused).toMatchObject(refusal(404, "not_found"));
  });

  it("[auth.team-key] [teams.list] sees its own team alone", async () => {
    const { id, owner } = await world.ownTeam();
    const other = (await world.as(owner, "POST", "/v1/teams", { name: "Other" })).body.id;
    const { secret: token } = await teamKey(id, owner);
    const list = await world.call("GET", "/v1/teams", { token });
    expect(list.body.data).toMatchObject([{ id, role: "admin" }]);
    for (const route of ["", "/members", "/invites", "/audit", "/items"]) {
      const answer = await world.call("GET", `/v1/teams/${other}${route}`, { token });
      expect(answer).toMatchObject(refusal(404, "not_found"));
    }
    const cursor = await world.call("GET", `/v1/teams?after_id=${other}`, { token });
    expect(cursor).toMatchObject(refusal(400, "invalid_request", "after_id"));
  });

  it.each(teamRanksHighestFirst)(
    "[identity.team-key-rank] of an %s acts with that rank, at most admin",
    async (role) => {
      const { id, path, people } = await world.team("owner", role);
      const [, maker] = people;
      const { secret: token } = await teamKey(id, maker);
      const { body } = await world.call("GET", path, { token });
      expect(body.role).toBe(actsWith[role]);
      const manages = actsWith[role] === "admin";
      const rename = await world.call("PATCH", path, { token, body: { name: "Renamed" } });
      expect(rename.status).toBe(manages ? 200 : 403);
      const invite = (asRole: TeamRank) =>
        world.call("POST", `${path}/invites`, {
          token,
          body: { email: newAddress(), role: asRole },
        });
      expect((await invite("editor")).status).toBe(manages ? 201 : 403);
      expect((await invite("admin")).status).toBe(403);
      expect((await world.call("DELETE", path, { token })).status).toBe(403);
    },
  );

  it("[identity.team-key-limits] accepts no invite, makes no team, owns no items: 403", async () => {
    const { id, path, owner } = await world.ownTeam();
    const { secret: token } = await teamKey(id, owner);
    const { code } = (await world.invite({ path }, owner)).body;
    for (const [route, body] of [
      ["/v1/teams", { name: "Own" }],
      [`/v1/team_invites/${code}/accept`, undefined],
      ["/v1/team_invites/inv_0000000000000000000000000000/accept", undefined],
      ["/v1/items", { kind: "rules", text: "Be brief." }],
    ] as const) {
      const answer = await world.call("POST", route, { token, body });
      expect(answer).toMatchObject(refusal(403, "insufficient_scope"));
    }
  });

  it("is refused what only a person may do before the body is looked at", async () => {
    const { id, path, owner } = await world.ownTeam();
    const { secret: token } = await teamKey(id, owner);
    for (const [method, route] of [
      ["POST", "/v1/teams"],
      ["POST", "/v1/team_invites/inv_0/accept"],
      ["GET", "/v1/items?limit=0"],
      ["POST", "/v1/items"],
      ["PATCH", "/v1/items/item_0"],
      ["DELETE", "/v1/items/item_0"],
      ["PUT", `${path}/items/item_0`],
    ] as const) {
      const body = method === "POST" || method === "PATCH" ? { junk: 1 } : undefined;
      const answer = await world.call(method, route, { token, body });
      expect(answer, `${method} ${route}`).toMatchObject(refusal(403, "insufficient_scope"));
    }
  });

  it("does not leave for its maker, nor change the maker's groups", async () => {
    const { id, path, people } = await world.team("owner", "admin");
    const [, admin] = people;
    const { secret: token } = await teamKey(id, admin);
    const route = `${path}/members/${admin.id}`;
    const leave = await world.call("DELETE", route, { token });
    expect(leave).toMatchObject(refusal(403, "insufficient_scope"));
    const groups = await world.call("PATCH", route, { token, body: { groups: ["me"] } });
    expect(groups).toMatchObject(refusal(403, "insufficient_scope"));
  });

  it("[identity.team-account] works in the team's account, where a member's own key never does", async () => {
    const { id, owner } = await world.ownTeam();
    const { secret: team } = await teamKey(id, owner);
    const own = (await owner.createKey({ scopes: [...callerKeyScopes] })).secret;
    const endpoint = { label: "a", base_url: "http://127.0.0.1:1/v1", api_key: "sk" };
    await world.call("POST", "/v1/upstreams", { token: team, body: endpoint });
    const listed = async (token: string) =>
      (await world.call("GET", "/v1/upstreams", { token })).body.data.length;
    expect([await listed(team), await listed(own)]).toEqual([1, 0]);
  });

  it("[identity.team-key-rank] loses rights at once when its maker does", async () => {
    const { id, path, people } = await world.team("owner", "admin");
    const [owner, admin] = people;
    const { secret: token } = await teamKey(id, admin);
    const rename = () => world.call("PATCH", path, { token, body: { name: "Renamed" } });
    expect((await rename()).status).toBe(200);
    await world.as(owner, "PATCH", `${path}/members/${admin.id}`, { role: "member" });
    expect(await rename()).toMatchObject(refusal(403, "insufficient_scope"));
    expect((await world.call("GET", path, { token })).body.role).toBe("member");
    await world.as(owner, "DELETE", `${path}/members/${admin.id}`);
    const gone = await world.call("GET", path, { token });
    expect(gone).toMatchObject(refusal(403, "insufficient_scope"));
    expect(gone.body.message).toContain("no longer a member");
    // Another team's keys of the same person are not concerned.
    const other = await world.ownTeam();
    await world.join(other, other.owner, admin);
    const elsewhere = await teamKey(other.id, admin);
    expect((await world.call("GET", other.path, { token: elsewhere.secret })).status).toBe(200);
  });

  it.each(["leaves", "is removed"])(
    "[limits.former-makers] is refused for ever once its maker %s, also after the maker rejoined",
    async (how) => {
      const { id, path, people } = await world.team("owner", "member");
      const [owner, member] = people;
      const old = await teamKey(id, member);
      const own = await member.createKey({ scopes: ["teams:read"] });
      const by = how === "leaves" ? member : owner;
      await world.as(by, "DELETE", `${path}/members/${member.id}`);
      expect((await world.join({ path }, owner, member)).status).toBe(200);
      expect(await statusOf(old.secret, id)).toBe(403);
      expect(await statusOf(old.secret, id, "Connect")).toBe(403);
      const rotated = await world.as(member, "POST", `/v1/keys/${old.id}/rotate`);
      expect(rotated).toMatchObject(refusal(409, "conflict"));
      const fresh = await teamKey(id, member);
      expect(await statusOf(fresh.secret, id)).toBe(200);
      expect(await statusOf(own.secret, id)).toBe(200);
    },
  );

  it.each([1, 2, 3, 4, 5])(
    "[limits.former-makers] made while its maker is removed does not live again (%i)",
    async () => {
      const { id, path, people } = await world.team("owner", "member");
      const [owner, member] = people;
      const made = await Promise.all([
        ...Array.from({ length: 8 }, () =>
          world.as(member, "POST", "/v1/keys", { team_id: id, scopes: ["teams:read"] }),
        ),
        world.as(owner, "DELETE", `${path}/members/${member.id}`),
      ]);
      await world.join({ path }, owner, member);
      const secrets = made.flatMap(({ status, body }) => (status === 201 ? [body.secret] : []));
      const statuses = await Promise.all(secrets.map((secret) => statusOf(secret, id)));
      expect(statuses.filter((status) => status !== 403)).toEqual([]);
    },
  );

  it("is refused while its maker is disabled", async () => {
    const { id, path, people } = await world.team("owner", "member");
    const [, member] = people;
    const { secret } = await teamKey(id, member);
    const token = world.causeway.adminToken;
    const set = (disabled: boolean) =>
      world.call("PATCH", `/v1/admin/users/${member.id}`, { token, body: { disabled } });
    const statuses = [(await world.call("GET", path, { token: secret })).status];
    for (const disabled of [true, false]) {
      await set(disabled);
      statuses.push((await world.call("GET", path, { token: secret })).status);
    }
    expect(statuses).toEqual([200, 403, 200]);
  });

  it("is listed and revoked by its maker and by the team's owners and admins", async () => {
    const { id, path, people } = await world.team("owner", "admin", "editor", "member");
    const [owner, admin, editor, member] = people;
    const key = await teamKey(id, editor);
    const sees = async (user: TestUser) =>
      (await world.as(user, "GET", "/v1/keys")).body.data.length === 1;
    expect([await sees(owner), await sees(admin), await sees(editor), await sees(member)]).toEqual([
      true,
      true,
      true,
      false,
    ]);
    const revoke = (user: TestUser) => world.as(user, "DELETE", `/v1/keys/${key.id}`);
    expect((await revoke(member)).status).toBe(404);
    expect((await revoke(admin)).status).toBe(200);
    const refused = await world.call("GET", path, { token: key.secret });
    expect(refused).toMatchObject(refusal(403, "insufficient_scope"));
  });

  it("stands in the team's audit log with its maker and its id, changes included", async () => {
    const { id, path, people } = await world.team("owner", "admin");
    const [owner, admin] = people;
    const key = await teamKey(id, admin);
    await world.call("PATCH", path, { token: key.secret, body: { name: "Renamed" } });
    const { body } = await world.as(owner, "GET", `${path}/audit`);
    expect(body.data).toMatchObject([
      {
        type: "key.created",
        target: key.id,
        actor: { user_id: admin.id, key_id: null },
        after: { team_id: id },
      },
      {
        type: "team.updated",
        target: id,
        actor: { user_id: admin.id, key_id: key.id },
        address: expect.stringContaining("127.0.0.1"),
        request_id: expect.stringMatching(/^req_/),
        before: { name: "Team" },
        after: { name: "Renamed" },
      },
    ]);
    expect(JSON.stringify(body)).not.toContain(key.secret);
  });
});

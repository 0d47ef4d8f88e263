/** Teams from outside. */
import { describe, expect, it } from "vitest";
import { refusal, useTeamWorld } from "./team-world.ts";

const world = useTeamWorld();
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe("a new team", () => {
  it("[rank.new-team] [team.id] [team.object] [team.name] [team.created-at] [team.member-shape] [member.create] has every field, its maker as the one owner, and shares rules and skills", async () => {
    const owner = await world.user();
    const { status, body } = await world.as(owner, "POST", "/v1/teams", { name: " Crew " });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^team_[0-9a-z]{26}$/),
      object: "team",
      name: "Crew",
      role: "owner",
      member_count: 1,
      created_at: expect.stringMatching(instant),
      share_defaults: { mcp: false, rules: true, skills: true },
      share_policy: "members",
      require_manual_confirm: false,
    });
    const members = await world.as(owner, "GET", `/v1/teams/${body.id}/members`);
    expect(members.body.data).toEqual([
      {
        object: "team_member",
        user_id: owner.id,
        role: "owner",
        groups: [],
        joined_at: body.created_at,
        confirmed: true,
      },
    ]);
  });

  it("[teams.create] needs a name", async () => {
    const owner = await world.user();
    const answer = await world.as(owner, "POST", "/v1/teams", {});
    expect(answer).toMatchObject(refusal(400, "invalid_request", "name"));
    const long = await world.as(owner, "POST", "/v1/teams", { name: "x".repeat(201) });
    expect(long).toMatchObject(refusal(400, "invalid_request", "name"));
  });

  it("[identity.no-team-key] makes no team key", async () => {
    const { owner } = await world.ownTeam();
    expect((await world.as(owner, "GET", "/v1/keys")).body.data).toEqual([]);
  });

  it("is made once under an Idempotency-Key, and named again", async () => {
    const { session: token } = await world.user();
    const headers = { "idempotency-key": "crew" };
    const make = () => world.call("POST", "/v1/teams", { token, headers, body: { name: "Crew" } });
    const [first, second] = [await make(), await make()];
    expect(second.body).toEqual(first.body);
    const list = await world.call("GET", "/v1/teams", { token });
    expect(list.body.data).toHaveLength(1);
  });
});

describe("the list of teams", () => {
  it("[teams.list] [team.role] holds the caller's teams with its own role, oldest first", async () => {
    const { path, owner } = await world.ownTeam();
    const guest = await world.user();
    await world.as(guest, "POST", "/v1/teams", { name: "Own" });
    await world.join({ path }, owner, guest, "editor");
    const { body } = await world.as(guest, "GET", "/v1/teams");
    expect(body.data.map((team: { name: string; role: string }) => [team.name, team.role])).toEqual(
      [
        ["Crew", "editor"],
        ["Own", "owner"],
      ],
    );
    expect(body.data[0].member_count).toBe(2);
  });

  it("loses a team that the caller left", async () => {
    const { path, owner } = await world.ownTeam();
    const guest = await world.user();
    await world.join({ path }, owner, guest);
    await world.as(guest, "DELETE", `${path}/members/${guest.id}`);
    expect((await world.as(guest, "GET", "/v1/teams")).body.data).toEqual([]);
  });
});

describe("a team", () => {
  it("[rank.below-admin] [rank.visibility] [teams.get] does not exist for whoever is not a member, and is there for every member", async () => {
    const { path, people } = await world.team("owner", "member");
    const stranger = await world.user();
    const body = { name: "Mine" };
    for (const [method, route] of [
      ["GET", path],
      ["PATCH", path],
      ["DELETE", path],
      ["GET", `${path}/members`],
      ["GET", `${path}/invites`],
      ["GET", `${path}/audit`],
    ] as const) {
      const sent = method === "PATCH" ? body : undefined;
      expect(await world.as(stranger, method, route, sent)).toMatchObject(
        refusal(404, "not_found"),
      );
    }
    const [owner, member] = people;
    expect((await world.as(owner, "GET", path)).body).toMatchObject({ role: "owner" });
    expect((await world.as(member, "GET", path)).body).toMatchObject({ role: "member" });
  });

  it("[team.share-policy] [teams.patch-fields] changes only the fields that are sent", async () => {
    const { path, owner } = await world.ownTeam();
    const { body: before } = await world.as(owner, "GET", path);
    const changes = {
      share_defaults: { mcp: true, rules: false, skills: true },
      share_policy: "editors",
      require_manual_confirm: true,
    };
    for (const [field, value] of Object.entries(changes)) {
      const answer = await world.as(owner, "PATCH", path, { [field]: value });
      expect(answer.body).toEqual({ ...before, [field]: value });
      Object.assign(before, { [field]: value });
    }
    const unchanged = await world.as(owner, "PATCH", path, {});
    expect([unchanged.status, unchanged.body]).toEqual([200, before]);
  });

  it.each([
    ["name", { name: null }],
    ["share_policy", { share_policy: "everybody" }],
    ["share_defaults.skills", { share_defaults: { mcp: true, rules: true } }],
    ["member_count", { member_count: 7 }],
  ])("[team.share-defaults] refuses a bad %s", async (param, body) => {
    const { path, owner } = await world.ownTeam();
    const answer = await world.as(owner, "PATCH", path, body);
    expect(answer).toMatchObject(refusal(400, "invalid_request", param));
  });

  it("[teams.patch-rank] [rank.visibility] is changed by admins and owners only", async () => {
    const { path, people } = await world.team("owner", "admin", "editor", "member");
    const statuses = [];
    for (const user of people) {
      statuses.push((await world.as(user, "PATCH", path, { name: "Renamed" })).status);
    }
    expect(statuses).toEqual([200, 200, 403, 403]);
  });

  it("[teams.delete] is deleted by owners only", async () => {
    const { path, people } = await world.team("member", "editor", "admin", "owner");
    const statuses = [];
    for (const user of people) statuses.push((await world.as(user, "DELETE", path)).status);
    expect(statuses).toEqual([403, 403, 403, 200]);
  });
});

describe("a deleted team", () => {
  it("[team.deleted-shape] [member.team-deleted] is gone for every member, with its invites and keys, for ever", async () => {
    const { id, path, people } = await world.team("owner", "member");
    const [owner, member] = people;
    const { body: invite } = await world.invite({ path }, owner);
    const key = await world.as(member, "POST", "/v1/keys", { team_id: id, scopes: ["teams:read"] });
    expect((await world.as(owner, "DELETE", path)).body).toEqual({
      id,
      object: "team",
      deleted: true,
    });
    expect(await world.as(member, "GET", path)).toMatchObject(refusal(404, "not_found"));
    expect((await world.as(member, "GET", "/v1/teams")).body.data).toEqual([]);
    const refused = await world.call("GET", "/v1/teams", { token: key.body.secret });
    expect(refused).toMatchObject(refusal(403, "insufficient_scope"));
    const [listed] = (await world.as(member, "GET", "/v1/keys")).body.data;
    expect(listed.revoked_at).toMatch(instant);
    const guest = await world.user(invite.email);
    const accepted = await world.as(guest, "POST", `/v1/team_invites/${invite.code}/accept`);
    expect(accepted).toMatchObject(refusal(409, "conflict"));
  });

  it("takes along what its account held", async () => {
    const { id, path, owner } = await world.ownTeam();
    const scopes = ["endpoints:read", "endpoints:write"];
    const { body } = await world.as(owner, "POST", "/v1/keys", { team_id: id, scopes });
    const endpoint = { label: "a", base_url: "http://127.0.0.1:1/v1", api_key: "sk-team" };
    const made = await world.call("POST", "/v1/upstreams", { token: body.secret, body: endpoint });
    expect(made.status).toBe(201);
    await world.as(owner, "DELETE", path);
    expect(await world.sql("select 1 from upstreams where account_id = $1", [id])).toEqual([]);
  });
});

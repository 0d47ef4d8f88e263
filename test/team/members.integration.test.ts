/** Members of a team: roles, groups, leaving, confirmation. */
import { describe, expect, it } from "vitest";
import type { TeamRank } from "../../src/account/team-membership.ts";
import { teamRanksHighestFirst } from "../../src/team/ranks.ts";
import { newAddress, refusal, useTeamWorld } from "./team-world.ts";

const world = useTeamWorld();

/** Whom or what a caller of a rank may invite to, change the role of, and remove. */
const allowed: Readonly<Record<TeamRank, Record<"invite" | "change" | "remove", TeamRank[]>>> = {
  owner: {
    invite: ["admin", "editor", "member"],
    change: ["admin", "editor", "member"],
    remove: ["owner", "admin", "editor", "member"],
  },
  admin: {
    invite: ["editor", "member"],
    change: ["editor", "member"],
    remove: ["editor", "member"],
  },
  editor: { invite: [], change: [], remove: [] },
  member: { invite: [], change: [], remove: [] },
};

const cells = teamRanksHighestFirst.flatMap((caller) =>
  teamRanksHighestFirst.map((other) => [caller, other] as const),
);

describe.each(cells)("a member who is %s, towards one who is %s", (callerRole, otherRole) => {
  const expected = (action: "invite" | "change" | "remove", success: number) =>
    allowed[callerRole][action].includes(otherRole)
      ? { status: success }
      : refusal(403, "insufficient_scope");

  it("[invite.create] invites one of this role where its rank allows it", async () => {
    const { path, people } = await world.team("owner", callerRole);
    const [, caller] = people;
    const answer = await world.invite({ path }, caller, newAddress(), otherRole);
    expect(answer).toMatchObject(expected("invite", 201));
  });

  it("[member.role] [rank.order] changes and grants this role where its rank allows it", async () => {
    const { path, people } = await world.team("owner", callerRole, otherRole);
    const [, caller, target] = people;
    const route = `${path}/members/${target.id}`;
    const answer = await world.as(caller, "PATCH", route, { role: "member" });
    expect(answer).toMatchObject(expected("change", 200));
    // And the other way round: this role given to somebody at the bottom.
    const low = await world.team("owner", callerRole, "member");
    const [, granter, member] = low.people;
    const granted = await world.as(granter, "PATCH", `${low.path}/members/${member.id}`, {
      role: otherRole,
    });
    const mayGrant = allowed[callerRole].change.includes(otherRole);
    expect(granted.status).toBe(mayGrant ? 200 : 403);
    if (mayGrant) expect(granted.body).toMatchObject({ user_id: member.id, role: otherRole });
  });

  it("[team.removed-shape] [member.remove] removes one of this role where its rank allows it", async () => {
    const { path, people } = await world.team("owner", callerRole, otherRole);
    const [, caller, target] = people;
    const answer = await world.as(caller, "DELETE", `${path}/members/${target.id}`);
    expect(answer).toMatchObject(expected("remove", 200));
    if (answer.status === 200) {
      const gone = { object: "team_member", user_id: target.id, deleted: true };
      expect(answer.body).toEqual(gone);
    }
  });
});

describe("a member", () => {
  it("[rank.below-admin] of any rank leaves, but not the last owner", async () => {
    const { path, people } = await world.team("owner", "admin", "editor", "member");
    const statuses = [];
    for (const user of people.toReversed()) {
      statuses.push((await world.as(user, "DELETE", `${path}/members/${user.id}`)).status);
    }
    expect(statuses).toEqual([200, 200, 200, 409]);
  });

  it("[order.rank] that is nobody is 404 before 403 for the rank", async () => {
    const { path, people } = await world.team("owner", "member");
    const [, low] = people;
    const stranger = await world.user();
    for (const [method, body] of [
      ["PATCH", { role: "member" }],
      ["DELETE", undefined],
    ] as const) {
      const answer = await world.as(low, method, `${path}/members/${stranger.id}`, body);
      expect(answer).toMatchObject(refusal(404, "not_found"));
    }
    const confirm = await world.as(low, "POST", `${path}/members/${stranger.id}/confirm`);
    expect(confirm).toMatchObject(refusal(404, "not_found"));
  });

  it("[member.role] may not change its own role", async () => {
    const { path, people } = await world.team("owner", "admin");
    for (const user of people) {
      const answer = await world.as(user, "PATCH", `${path}/members/${user.id}`, {
        role: "member",
      });
      expect(answer).toMatchObject(refusal(403, "insufficient_scope"));
    }
  });

  it("[teams.members] joins again at the end of the list, with a fresh seat", async () => {
    const { path, people } = await world.team("owner", "editor", "member");
    const [owner, editor, other] = people;
    const { id } = editor;
    await world.as(owner, "PATCH", `${path}/members/${id}`, { groups: ["night"] });
    await world.as(editor, "DELETE", `${path}/members/${id}`);
    const joined = await world.join({ path }, owner, editor);
    expect(joined.body).toMatchObject({ role: "member", member_count: 3 });
    expect(await world.memberIds({ path }, owner)).toEqual([owner.id, other.id, id]);
    const { body } = await world.as(owner, "GET", `${path}/members?after_id=${other.id}`);
    expect(body.data).toMatchObject([{ user_id: id, role: "member", groups: [] }]);
  });
});

describe("the last owner", () => {
  it("[teams.member-remove] can neither leave nor be left as the only one by removal: 409 last_owner", async () => {
    const { path, owner } = await world.ownTeam();
    const answer = await world.as(owner, "DELETE", `${path}/members/${owner.id}`);
    expect(answer).toMatchObject(refusal(409, "last_owner"));
    expect(answer.headers.get("x-should-retry")).toBe("false");
  });

  it("does not count a disabled owner as another one", async () => {
    const { path, people } = await world.team("owner", "owner");
    const [first, second] = people;
    const admin = { token: world.causeway.adminToken };
    const disabled = { ...admin, body: { disabled: true } };
    await world.call("PATCH", `/v1/admin/users/${second.id}`, disabled);
    const leave = await world.as(first, "DELETE", `${path}/members/${first.id}`);
    expect(leave).toMatchObject(refusal(409, "last_owner"));
    const remove = await world.as(first, "DELETE", `${path}/members/${second.id}`);
    expect(remove.status).toBe(200);
  });

  it("[operations.member-owner] can leave once the operator has made another owner", async () => {
    const { id, path, people } = await world.team("owner", "member");
    const [owner, member] = people;
    const route = `/v1/admin/teams/${id}/owners/${member.id}`;
    const promoted = await world.call("PUT", route, { token: world.causeway.adminToken });
    expect(promoted).toMatchObject({
      status: 200,
      body: { object: "team_member", user_id: member.id, role: "owner" },
    });
    const leave = await world.as(owner, "DELETE", `${path}/members/${owner.id}`);
    expect(leave.status).toBe(200);
    const stranger = await world.user();
    const nobody = await world.call("PUT", `/v1/admin/teams/${id}/owners/${stranger.id}`, {
      token: world.causeway.adminToken,
    });
    expect(nobody).toMatchObject(refusal(404, "not_found"));
  });
});

describe("a PATCH of a member", () => {
  it("[teams.member-patch] needs a role, unless groups are sent", async () => {
    const { path, people } = await world.team("owner", "member");
    const [owner, member] = people;
    const patch = (body: unknown) => world.as(owner, "PATCH", `${path}/members/${member.id}`, body);
    expect(await patch({})).toMatchObject(refusal(400, "invalid_request", "role"));
    expect((await patch({ groups: [" a ", "b", "a"] })).body).toMatchObject({
      role: "member",
      groups: ["a", "b"],
    });
    expect((await patch({ role: "editor", groups: [] })).body).toMatchObject({
      role: "editor",
      groups: [],
    });
  });

  it.each([
    ["groups", Array.from({ length: 21 }, (_, index) => `g${index.toString()}`)],
    ["groups[1]", ["ok", "x".repeat(65)]],
    ["groups[0]", [" "]],
  ])("[groups.labels] takes at most 20 groups of 1 to 64 characters: %s", async (param, groups) => {
    const { path, people } = await world.team("owner", "member");
    const [owner, member] = people;
    const answer = await world.as(owner, "PATCH", `${path}/members/${member.id}`, { groups });
    expect(answer).toMatchObject(refusal(400, "invalid_request", param));
  });

  it.each(cells)(
    "[groups.alone] of groups alone, by %s to another %s",
    async (callerRole, otherRole) => {
      const { path, people } = await world.team("owner", callerRole, otherRole);
      const [, caller, target] = people;
      const answer = await world.as(caller, "PATCH", `${path}/members/${target.id}`, {
        groups: ["night"],
      });
      expect(answer.status).toBe(allowed[callerRole].change.includes(otherRole) ? 200 : 403);
    },
  );

  it("[groups.alone] of one's own groups is for admins and owners", async () => {
    const { path, people } = await world.team("owner", "admin", "editor", "member");
    const statuses = [];
    for (const user of people) {
      const route = `${path}/members/${user.id}`;
      statuses.push((await world.as(user, "PATCH", route, { groups: ["me"] })).status);
    }
    expect(statuses).toEqual([200, 200, 403, 403]);
  });
});

describe("confirmation", () => {
  it("[team.manual-confirm] [invites.confirm] is waited for under require_manual_confirm, and given by admins and owners", async () => {
    const { path, people } = await world.team("owner", "admin", "editor");
    const [owner, admin, editor] = people;
    await world.as(owner, "PATCH", path, { require_manual_confirm: true });
    const guest = await world.user();
    await world.join({ path }, owner, guest);
    const route = `${path}/members/${guest.id}`;
    const { body } = await world.as(owner, "GET", `${path}/members`);
    expect(body.data.at(-1)).toMatchObject({ user_id: guest.id, confirmed: false });
    // Turning it off confirms nobody.
    await world.as(owner, "PATCH", path, { require_manual_confirm: false });
    const again = await world.as(owner, "GET", `${path}/members`);
    expect(again.body.data.at(-1)).toMatchObject({ confirmed: false });
    expect((await world.as(editor, "POST", `${route}/confirm`)).status).toBe(403);
    const confirmed = await world.as(admin, "POST", `${route}/confirm`);
    expect(confirmed).toMatchObject({ status: 200, body: { user_id: guest.id, confirmed: true } });
    expect((await world.as(admin, "POST", `${route}/confirm`)).status).toBe(200);
  });

  it("[invites.confirm] is not given by who waits for it, nor done away with", async () => {
    const { path, people } = await world.team("owner");
    const [owner] = people;
    await world.as(owner, "PATCH", path, { require_manual_confirm: true });
    const guest = await world.user();
    await world.join({ path }, owner, guest, "admin");
    const itself = await world.as(guest, "POST", `${path}/members/${guest.id}/confirm`);
    expect(itself).toMatchObject(refusal(403, "insufficient_scope"));
    const off = await world.as(guest, "PATCH", path, { require_manual_confirm: false });
    expect(off).toMatchObject(refusal(403, "insufficient_scope"));
    expect((await world.as(guest, "PATCH", path, { name: "Renamed" })).status).toBe(200);
  });
});

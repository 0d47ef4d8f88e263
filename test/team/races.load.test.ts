/** What happens to teams when many do the same at once, on parallel connections. */
import { describe, expect, it } from "vitest";
import { newAddress, useTeamWorld } from "./team-world.ts";

const world = useTeamWorld();

const statusesOf = (answers: readonly { status: number }[]) =>
  answers.map(({ status }) => status).toSorted((a, b) => a - b);

async function ownersOf(teamId: string): Promise<number> {
  const [row] = await world.sql(
    "select count(*)::int as owners from team_members where team_id = $1 and role = 'owner' and left_at is null",
    [teamId],
  );
  return Number(row?.["owners"]);
}

/** The stored number of members and the members themselves. */
async function countsOf(teamId: string): Promise<unknown> {
  const [row] = await world.sql(
    `select member_count as stored, (select count(*)::int from team_members
       where team_id = id and left_at is null) as counted from teams where id = $1`,
    [teamId],
  );
  return row;
}

describe("at once", () => {
  it("[invite.accept] of 50 accepts of one code one joins and 49 are 409", async () => {
    const { id, path, owner } = await world.ownTeam();
    const guest = await world.user();
    const { code } = (await world.invite({ path }, owner, guest.email)).body;
    const accept = () => world.as(guest, "POST", `/v1/team_invites/${code}/accept`);
    const answers = await Promise.all(Array.from({ length: 50 }, accept));
    expect(statusesOf(answers)).toEqual([200, ...Array.from({ length: 49 }, () => 409)]);
    expect(new Set(answers.map(({ headers }) => headers.get("x-should-retry")))).toEqual(
      new Set([null, "false"]),
    );
    expect(await countsOf(id)).toEqual({ stored: 2, counted: 2 });
    const types = await world.auditTypes({ path }, owner);
    expect(types.filter((type) => type === "invite.accepted")).toHaveLength(1);
  });

  it.each(Array.from({ length: 6 }, (_, round) => round))(
    "[member.remove] two owners remove each other: never zero owners (%i)",
    async () => {
      const { id, path, people } = await world.team("owner", "owner", "member");
      const [first, second] = people;
      const answers = await Promise.all([
        world.as(first, "DELETE", `${path}/members/${second.id}`),
        world.as(second, "DELETE", `${path}/members/${first.id}`),
      ]);
      // Whoever came second is no member any more.
      expect(statusesOf(answers)).toEqual([200, 404]);
      expect(await ownersOf(id)).toBe(1);
      expect(await countsOf(id)).toEqual({ stored: 2, counted: 2 });
    },
  );

  it.each(Array.from({ length: 6 }, (_, round) => round))(
    "two owners leave, or are disabled or deleted: one stays (%i)",
    async (round) => {
      const { id, path, people } = await world.team("owner", "owner");
      const [first, second] = people;
      const token = world.causeway.adminToken;
      const other = [
        () => world.as(second, "DELETE", `${path}/members/${second.id}`),
        () =>
          world.call("PATCH", `/v1/admin/users/${second.id}`, { token, body: { disabled: true } }),
        () => world.call("DELETE", `/v1/admin/users/${second.id}`, { token }),
      ][round % 3];
      const answers = await Promise.all([
        world.as(first, "DELETE", `${path}/members/${first.id}`),
        other?.() ?? { status: 0 },
      ]);
      expect(statusesOf(answers)).toEqual([200, 409]);
      expect(await ownersOf(id)).toBeGreaterThanOrEqual(1);
    },
  );

  it.each(Array.from({ length: 3 }, (_, round) => round))(
    "[invite.replace] invites to one address leave one pending (%i)",
    async () => {
      const { path, owner } = await world.ownTeam();
      const email = newAddress();
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => world.invite({ path }, owner, email)),
      );
      expect(statusesOf(answers)).toEqual([201, 201, 201, 201]);
      const { body } = await world.as(owner, "GET", `${path}/invites`);
      expect(body.data).toHaveLength(1);
      expect(answers.map((answer) => answer.body.code)).toContain(body.data[0].code);
    },
  );

  it.each(["revoke", "resend", "replace"])(
    "an accept and a %s agree who was first",
    async (what) => {
      const { id, path, owner } = await world.ownTeam();
      const guest = await world.user();
      const { code } = (await world.invite({ path }, owner, guest.email)).body;
      const route = `${path}/invites/${code}`;
      const ending = {
        revoke: () => world.as(owner, "DELETE", route),
        resend: () => world.as(owner, "POST", `${route}/resend`),
        replace: () => world.invite({ path }, owner, guest.email),
      }[what];
      const [accepted, ended] = await Promise.all([
        world.as(guest, "POST", `/v1/team_invites/${code}/accept`),
        ending?.(),
      ]);
      const joined = accepted.status === 200;
      expect([200, 409]).toContain(accepted.status);
      expect((ended?.status ?? 0) < 300).toBe(!joined);
      expect(await countsOf(id)).toEqual(
        joined ? { stored: 2, counted: 2 } : { stored: 1, counted: 1 },
      );
    },
  );

  it("[team.member-count] many people join one team, and all are counted", async () => {
    const { id, path, owner } = await world.ownTeam();
    const guests = [];
    for (let count = 0; count < 20; count++) guests.push(await world.user());
    const invites = await Promise.all(
      guests.map(({ email }) => world.invite({ path }, owner, email)),
    );
    const answers = await Promise.all(
      guests.map((guest, index) =>
        world.as(guest, "POST", `/v1/team_invites/${invites[index]?.body.code}/accept`),
      ),
    );
    expect(new Set(statusesOf(answers))).toEqual(new Set([200]));
    expect(await countsOf(id)).toEqual({ stored: 21, counted: 21 });
    const leave = guests.map((guest) => world.as(guest, "DELETE", `${path}/members/${guest.id}`));
    expect(new Set(statusesOf(await Promise.all(leave)))).toEqual(new Set([200]));
    expect(await countsOf(id)).toEqual({ stored: 1, counted: 1 });
  });

  it("a user who is deleted while accepting is no member afterwards", async () => {
    const { id, path, owner } = await world.ownTeam();
    const guest = await world.user();
    const { code } = (await world.invite({ path }, owner, guest.email)).body;
    const token = world.causeway.adminToken;
    const [accepted, deleted] = await Promise.all([
      world.as(guest, "POST", `/v1/team_invites/${code}/accept`),
      world.call("DELETE", `/v1/admin/users/${guest.id}`, { token }),
    ]);
    expect(deleted.status).toBe(200);
    expect([200, 401, 403]).toContain(accepted.status);
    expect(await countsOf(id)).toEqual({ stored: 1, counted: 1 });
  });
});

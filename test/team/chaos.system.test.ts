/** Everybody does everything at once: nothing fails, and what must hold holds. */
import { describe, expect, it } from "vitest";
import { SeededRandom } from "../support/seeded-random.ts";
import type { RestAnswer, TestUser } from "../support/test-instance.ts";
import { useTeamWorld } from "./team-world.ts";

const world = useTeamWorld();

/** Fewer than the pool has connections. */
const lanes = 8;
const callsPerLane = 25;

describe("many people in two teams", () => {
  it("break nothing by doing everything at once", { timeout: 60_000 }, async () => {
    const teams = [await world.team("owner", "owner", "admin"), await world.team("owner", "admin")];
    const people: TestUser[] = [];
    for (const person of teams.flatMap((team) => [...team.people])) {
      people.push(await withKey(person));
    }
    while (people.length < 8) people.push(await withKey(await world.user()));
    for (const person of people) {
      await world.as(person, "POST", "/v1/items", { kind: "rules", text: "Be brief." });
    }
    const codes: string[] = [];
    const lane = async (seed: number): Promise<number[]> => {
      const random = new SeededRandom(seed);
      const statuses: number[] = [];
      for (let count = 0; count < callsPerLane; count++) {
        const { status } = await anyCall(random, { teams, people, codes });
        statuses.push(status);
      }
      return statuses;
    };
    const statuses = await Promise.all(Array.from({ length: lanes }, (_, index) => lane(index)));
    // A machine that is far too busy makes the database look away (503); a deadlock is a 500.
    expect(statuses.flat()).not.toContain(500);
    expect(statuses.flat().filter((status) => status < 300).length).toBeGreaterThan(10);

    const counts = await world.sql(
      `select member_count - (select count(*) from team_members
         where team_id = teams.id and left_at is null) as difference from teams`,
    );
    expect(counts.map(({ difference }) => Number(difference))).toEqual([0, 0]);
    const ownerless = await world.sql(
      `select id from teams where deleted_at is null and not exists (
         select 1 from team_members seat join users person on person.id = seat.user_id
         where seat.team_id = teams.id and seat.role = 'owner' and seat.left_at is null
           and person.disabled_at is null and person.deleted_at is null)`,
    );
    expect(ownerless).toEqual([]);
    const strangers = await world.sql(
      `select 1 from pooled_items pooled where removed_at is null and not exists (
         select 1 from team_members seat where seat.team_id = pooled.account_id
           and seat.user_id = pooled.owner_id and seat.left_at is null)`,
    );
    expect(strangers).toEqual([]);
  });
});

/** Calls by a key: it works again when its user is enabled again, which a session does not. */
async function withKey(person: TestUser): Promise<TestUser> {
  const { secret } = await person.createKey({ scopes: ["teams:read", "teams:write"] });
  return { ...person, session: secret };
}

interface Cast {
  readonly teams: readonly { readonly id: string; readonly path: string }[];
  readonly people: readonly TestUser[];
  readonly codes: string[];
}

async function anyCall(random: SeededRandom, cast: Cast): Promise<RestAnswer> {
  const one = <Thing>(things: readonly Thing[]): Thing => random.pick(things);
  const { id, path } = one(cast.teams);
  const [caller, target] = [one(cast.people), one(cast.people)];
  const code = cast.codes.at(-random.between(1, 6)) ?? "inv_0000000000000000000000000000";
  const token = world.causeway.adminToken;
  const member = `${path}/members/${target.id}`;
  const user = `/v1/admin/users/${target.id}`;
  const calls: (() => Promise<RestAnswer>)[] = [
    () => world.invite({ path }, caller, target.email, one(["member", "editor", "admin"])),
    () => world.as(target, "POST", `/v1/team_invites/${code}/accept`),
    () => world.as(caller, "POST", `${path}/invites/${code}/resend`),
    () => world.as(caller, "DELETE", `${path}/invites/${code}`),
    () => world.as(caller, "PATCH", member, { role: one(["member", "editor", "admin"]) }),
    () => world.as(caller, "DELETE", member),
    () => world.as(target, "DELETE", member),
    () => world.as(caller, "PATCH", path, { require_manual_confirm: random.between(0, 1) === 0 }),
    () => world.call("PUT", `/v1/admin/teams/${id}/owners/${target.id}`, { token }),
    () => world.call("PATCH", user, { token, body: { disabled: random.between(0, 3) === 0 } }),
    () => poolFirst(path, target),
    async () =>
      random.between(0, 29) === 0 ? world.call("DELETE", user, { token }) : poolFirst(path, target),
  ];
  const answer = await one(calls)();
  if (typeof answer.body?.code === "string") cast.codes.push(answer.body.code);
  return answer;
}

/** Pools the first item of a person. */
async function poolFirst(path: string, person: TestUser): Promise<RestAnswer> {
  const items = await world.as(person, "GET", "/v1/items");
  const item = items.body.data?.[0];
  if (item === undefined) return items;
  return world.as(person, "PUT", `${path}/items/${item.id}`);
}

/** How many strangers an account may mail to. */
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { describe, expect, it } from "vitest";
import { ErrorInfoSchema } from "../../gen/ts/causeway/error/v1/error_pb.ts";
import { TeamService } from "../../gen/ts/causeway/team/v1/team_pb.ts";
import type { TestUser } from "../support/test-instance.ts";
import { newAddress, refusal, useTeamWorld } from "./team-world.ts";

const world = useTeamWorld();
const aDay = 24 * 60 * 60;
const limited = refusal(429, "rate_limited");

type TeamPath = { readonly path: string };

/** Invites new addresses at once; how many of the answers have each status. */
async function inviteMany(count: number, by: TestUser, ...teams: readonly TeamPath[]) {
  const answers = await Promise.all(
    Array.from({ length: count }, (_none, at) =>
      world.invite(teams[at % teams.length] ?? { path: "" }, by),
    ),
  );
  const withStatus = (status: number) => answers.filter((answer) => answer.status === status);
  return { sent: withStatus(201), refused: withStatus(429) };
}

/** A team whose owner has mailed as many strangers as one may. */
async function teamAtItsLimit() {
  const team = await world.ownTeam();
  const { sent } = await inviteMany(50, team.owner, team);
  expect(sent).toHaveLength(50);
  return { ...team, codes: sent.map(({ body }): string => body.code) };
}

describe("invites to addresses that never joined", () => {
  it("[limits.invites] are 50 a day, whatever the team and however many at once; then 429", async () => {
    const first = await world.ownTeam();
    const { owner } = first;
    const { body } = await world.as(owner, "POST", "/v1/teams", { name: "Second" });
    const second = { path: `/v1/teams/${body.id}` };
    const { sent, refused } = await inviteMany(60, owner, first, second);
    expect([sent.length, refused.length]).toEqual([50, 10]);
    for (const answer of refused) {
      expect(answer).toMatchObject(limited);
      const seconds = Number(answer.headers.get("retry-after"));
      expect(seconds).toBeGreaterThan(aDay - 600);
      expect(seconds).toBeLessThanOrEqual(aDay);
    }
    const other = await world.ownTeam();
    expect((await world.invite(other, other.owner)).status).toBe(201);
  });

  it("[limits.invites] are refused over Connect as over REST, and nothing of a refused one stays", async () => {
    const { id: teamId, path, owner, codes } = await teamAtItsLimit();
    const baseUrl = world.causeway.url;
    const client = createClient(
      TeamService,
      createConnectTransport({ baseUrl, httpVersion: "1.1" }),
    );
    const headers = { authorization: `Bearer ${owner.session}` };
    const error = await client.createTeamInvite({ teamId, email: newAddress() }, { headers }).then(
      () => undefined,
      (reason: unknown) => ConnectError.from(reason),
    );
    expect(error?.code).toBe(Code.ResourceExhausted);
    expect(error?.findDetails(ErrorInfoSchema)[0]?.code).toBe("rate_limited");
    expect(error?.metadata.get("retry-after")).toMatch(/^\d+$/);
    const list = await world.as(owner, "GET", `${path}/invites?limit=100`);
    expect(list.body.data).toHaveLength(codes.length);
  });

  it("[limits.invites] count when they are sent again, and the old code stays good when that is refused", async () => {
    const team = await world.ownTeam();
    const guest = await world.user();
    const { code } = (await world.invite(team, team.owner, guest.email)).body;
    await inviteMany(48, team.owner, team);
    const resend = (of: string) =>
      world.as(team.owner, "POST", `${team.path}/invites/${of}/resend`);
    const fresh = (await resend(code)).body.code;
    expect(await resend(fresh)).toMatchObject(limited);
    expect(await world.invite(team, team.owner, guest.email)).toMatchObject(limited);
    const accepted = await world.as(guest, "POST", `/v1/team_invites/${fresh}/accept`);
    expect(accepted.status).toBe(200);
  });

  it("count when they are revoked, and no more after a day", async () => {
    const { id, path, owner, codes } = await teamAtItsLimit();
    await world.as(owner, "DELETE", `${path}/invites/${codes[0]}`);
    expect(await world.invite({ path }, owner)).toMatchObject(limited);
    await world.sql(
      "update team_invites set created_at = created_at - interval '1 day' where team_id = $1",
      [id],
    );
    expect((await world.invite({ path }, owner)).status).toBe(201);
  });

  it("[limits.invites] count no more once their address has joined, and members who left may come back", async () => {
    const team = await world.ownTeam();
    const { owner } = team;
    const guest = await world.user();
    await world.join(team, owner, guest);
    const { refused } = await inviteMany(50, owner, team);
    expect(refused).toEqual([]);
    await world.as(guest, "DELETE", `${team.path}/members/${guest.id}`);
    expect((await world.join(team, owner, guest)).status).toBe(200);
    expect(await world.invite(team, owner)).toMatchObject(limited);
  });

  it("[limits.invites] are counted for the team as well, whoever of it sends, its keys included", async () => {
    const { id, path, people } = await world.team("owner", "admin");
    const [owner, admin] = people;
    const { secret: token } = await owner.createKey({ team_id: id, scopes: ["teams:write"] });
    await inviteMany(49, owner, { path });
    const byKey = () =>
      world.call("POST", `${path}/invites`, { token, body: { email: newAddress() } });
    expect((await byKey()).status).toBe(201);
    expect(await byKey()).toMatchObject(limited);
    expect(await world.invite({ path }, admin)).toMatchObject(limited);
    const elsewhere = await world.ownTeam();
    expect(await world.join(elsewhere, elsewhere.owner, admin, "admin")).toMatchObject({
      status: 200,
    });
    expect((await world.invite(elsewhere, admin)).status).toBe(201);
  });
});

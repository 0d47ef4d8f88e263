/** The page iterator of the official Anthropic client walks our lists. */
import Anthropic from "@anthropic-ai/sdk";
import { Page } from "@anthropic-ai/sdk/pagination";
import { beforeAll, describe, expect, it } from "vitest";
import type { TestUser } from "../support/test-instance.ts";
import { useTeamWorld, type TeamOf } from "./team-world.ts";

const world = useTeamWorld();

type Row = Readonly<Record<"id" | "user_id" | "code", string | undefined>>;

/** The lists of teams, and what their rows are named by. */
const lists = {
  "/v1/teams": "id",
  "/v1/teams/{team_id}/members": "user_id",
  "/v1/teams/{team_id}/invites": "code",
  "/v1/teams/{team_id}/audit": "id",
} as const;

let team: TeamOf<readonly ["owner", "admin", "editor", "member", "member"]>;
let client: Anthropic;

beforeAll(async () => {
  team = await world.team("owner", "admin", "editor", "member", "member");
  const [owner] = team.people;
  for (let count = 0; count < 5; count++) {
    await world.invite(team, owner);
    await world.as(owner, "POST", "/v1/teams", { name: "Another" });
  }
  client = await clientOf(owner);
});

async function clientOf(user: TestUser): Promise<Anthropic> {
  const key = await user.createKey({ scopes: ["teams:read", "teams:write"] });
  return new Anthropic({ baseURL: world.causeway.url, apiKey: key.secret, maxRetries: 0 });
}

const pathOf = (list: string) => list.replace("{team_id}", team.id);

const walk = (list: string, query: Readonly<Record<string, string | number>>) =>
  client.getAPIList<Row, Page<Row>>(pathOf(list), Page, { query });

describe.each(Object.entries(lists))("%s", (list, name) => {
  const namesOf = (rows: readonly Row[]) => rows.map((row) => row[name]);

  const all = async () => {
    const rows: Row[] = [];
    for await (const row of walk(list, { limit: 100 })) rows.push(row);
    return namesOf(rows);
  };

  it("is walked forwards", async () => {
    const names = await all();
    expect(names.length).toBeGreaterThanOrEqual(5);
    expect(new Set(names).size).toBe(names.length);
    const rows: Row[] = [];
    for await (const row of walk(list, { limit: 2 })) rows.push(row);
    expect(namesOf(rows)).toEqual(names);
  });

  it("[teams.members] is walked backwards", async () => {
    const names = await all();
    const pages: Row[][] = [];
    const before_id = names.at(-1) ?? "";
    for await (const page of (await walk(list, { limit: 2, before_id })).iterPages()) {
      pages.push(page.data);
    }
    expect(pages.length).toBeGreaterThanOrEqual(2);
    expect(namesOf(pages.toReversed().flat())).toEqual(names.slice(0, -1));
  });
});

describe("a list that shrinks while it is walked", () => {
  it("gives every row once all the same", async () => {
    const shrinking = await world.team("owner", "member", "member", "member", "member", "member");
    const [owner] = shrinking.people;
    const walker = await clientOf(owner);
    const path = `${shrinking.path}/members`;
    const seen: (string | undefined)[] = [];
    for await (const { user_id } of walker.getAPIList<Row, Page<Row>>(path, Page, {
      query: { limit: 2 },
    })) {
      seen.push(user_id);
      if (user_id !== owner.id) await world.as(owner, "DELETE", `${path}/${user_id}`);
    }
    expect(seen).toEqual(shrinking.people.map(({ id }) => id));
    expect(await world.memberIds(shrinking, owner)).toEqual([owner.id]);
  });
});

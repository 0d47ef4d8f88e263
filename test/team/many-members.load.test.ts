/** A team of ten thousand: pages cost the same wherever they are. */
import type { EntityManager } from "@mikro-orm/postgresql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databaseEntities } from "../../src/app/entities.ts";
import { openMigratedDatabase, type Database } from "../../src/platform/database/database.ts";
import type { PageRequest } from "../../src/platform/pagination.ts";
import { buildTeamMemberPageStatement } from "../../src/team/member-page.ts";
import { silentLog } from "../account/account-fixture.ts";
import { startTestInstance, type TestInstance } from "../support/test-instance.ts";
import { insertTeam } from "../support/team-rows.ts";

const memberCount = 10_000;
const withThoseWhoLeft = Math.ceil(memberCount / 3) * 4;
let causeway: TestInstance;
let database: Database;
let em: EntityManager;
let team: string;
let callerId: string;
let key: string;
let ids: string[];
let statements: string[] = [];

beforeAll(async () => {
  causeway = await startTestInstance({ statementObserver: (sql) => statements.push(sql) });
  const { connectionString } = causeway;
  database = await openMigratedDatabase({
    connectionString,
    entities: databaseEntities,
    log: silentLog,
  });
  em = database.fork();
  const user = await causeway.createUser();
  callerId = user.id;
  key = (await user.createKey({ scopes: ["teams:read"] })).secret;
  team = await insertTeam(connectionString, [{ userId: user.id, role: "owner" }]);
  // Every fourth has left: those rows stay and are no reason to read further.
  await em.execute(
    `insert into users (id, email, email_normalised, created_at)
     select 'user_' || lpad(n::text, 26, '0'), n || '@example.org', n || '@example.org', now()
     from generate_series(1, ?) n`,
    [withThoseWhoLeft],
  );
  await em.execute(
    `insert into team_members (team_id, user_id, role, groups, confirmed, joined_at, left_at)
     select ?, 'user_' || lpad(n::text, 26, '0'), 'member', '{}', true,
       timestamptz '2026-02-01' + (n / 2) * interval '1 minute', case when n % 4 = 0 then now() end
     from generate_series(1, ?) n`,
    [team, withThoseWhoLeft],
  );
  await em.execute("analyze team_members");
  const rows = await em.execute<{ user_id: string }[]>(
    "select user_id from team_members where team_id = ? and left_at is null order by joined_at, user_id",
    [team],
  );
  ids = rows.map(({ user_id }) => user_id);
});

afterAll(async () => {
  await database.close();
  await causeway.close();
});

const page = (query: string) =>
  causeway.call("GET", `/v1/teams/${team}/members?${query}`, { token: key });

const idsOf = (answer: Awaited<ReturnType<typeof page>>): string[] =>
  answer.body.data.map(({ user_id }: { user_id: string }) => user_id);

describe("a team of ten thousand", () => {
  it("[teams.members] is walked whole, forwards and backwards, each member once", async () => {
    expect(ids.length).toBeGreaterThanOrEqual(memberCount);
    const forwards: string[] = [];
    let answer = await page("limit=100");
    forwards.push(...idsOf(answer));
    while (answer.body.has_more) {
      answer = await page(`limit=100&after_id=${answer.body.last_id}`);
      forwards.push(...idsOf(answer));
    }
    expect(forwards).toEqual(ids);
    const backwards = idsOf(answer);
    do {
      answer = await page(`limit=100&before_id=${answer.body.first_id}`);
      backwards.unshift(...idsOf(answer));
    } while (answer.body.has_more);
    expect(backwards).toEqual(ids);
  });

  it.each(["limit=20", "limit=100", "after_id=$middle", "after_id=$late", "before_id=$late"])(
    "costs one statement for a page: %s",
    async (query) => {
      const middle = ids[Math.floor(ids.length / 2)] ?? "";
      const late = ids.at(-5) ?? "";
      await page("limit=1");
      statements = [];
      const answer = await page(query.replace("$middle", middle).replace("$late", late));
      expect(answer.status).toBe(200);
      expect(statements).toHaveLength(1);
    },
  );

  it.each([
    ["the first page", { direction: "after", cursor: undefined, limit: 20 }],
    ["a page in the middle", { direction: "after", cursor: 0.5, limit: 20 }],
    ["the last page", { direction: "after", cursor: 0.999, limit: 100 }],
    ["the page before the middle", { direction: "before", cursor: 0.5, limit: 20 }],
    ["the page before the end", { direction: "before", cursor: 0.999, limit: 100 }],
  ] as const)(
    "reads by the index no more than it gives: %s",
    async (_which, { cursor, ...rest }) => {
      const at = cursor === undefined ? undefined : ids[Math.floor(cursor * ids.length)];
      const nodes = await planOf({ ...rest, cursor: at });
      const scans = nodes.filter((node) => node["Relation Name"] === "team_members");
      expect(scans.map((node) => node["Node Type"])).not.toContain("Seq Scan");
      const pageScan = scans.find((node) => node["Index Name"] === "team_members_joined_index");
      expect(Number(pageScan?.["Actual Rows"])).toBeLessThanOrEqual(rest.limit + 1);
      const discarded = nodes.map((node) => Number(node["Rows Removed by Filter"] ?? 0));
      expect(Math.max(...discarded)).toBe(0);
    },
  );
});

type PlanNode = Record<string, unknown> & { readonly Plans?: PlanNode[] };

/** The nodes of the plan that was run for a page. */
async function planOf(request: PageRequest): Promise<PlanNode[]> {
  const { sql, parameters } = buildTeamMemberPageStatement(team, callerId, request);
  const [row] = await em.execute<{ "QUERY PLAN": [{ Plan: PlanNode }] }[]>(
    `explain (analyze, format json) ${sql}`,
    [...parameters],
  );
  const flatten = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(flatten)];
  return flatten(row?.["QUERY PLAN"][0].Plan ?? {});
}

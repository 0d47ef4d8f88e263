/** The paging rules, held over every list that is mounted. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { gatewayServiceDescriptors } from "../../src/contract/services.ts";
import { readRestRules } from "../../src/contract/rest-rule.ts";
import { startLoopbackUpstream, type LoopbackUpstream } from "../support/loopback-upstream.ts";
import { openCallWriter } from "../call-log/call-writer.ts";
import { insertThread } from "../support/thread-rows.ts";
import { insertTeam } from "../support/team-rows.ts";
import { startTestInstance, type RestAnswer, type TestInstance } from "../support/test-instance.ts";
import { teamLists } from "./team-lists.ts";

let causeway: TestInstance;
let upstream: LoopbackUpstream;

beforeAll(async () => {
  upstream = await startLoopbackUpstream(["m"]);
  const vendor = {
    label: "V",
    base_url: upstream.baseUrl,
    dialects: ["dialect_chat"],
    auth: "bearer",
  };
  const ids = ["acme", "bolt", "code", "dial", "east"];
  const vendors = Object.fromEntries(ids.map((id) => [id, vendor]));
  causeway = await startTestInstance({ file: { vendors } });
});

afterAll(async () => {
  await causeway.close();
  await upstream.close();
});

/** One list with five rows in it. */
interface ListCase {
  readonly path: string;
  readonly token: string;
  /** Takes a row out of the list; absent: nothing does. */
  readonly remove?: (id: string) => Promise<RestAnswer>;
}

/** The operator's lists first, because they grow with every other one. */
const lists: Readonly<Record<string, () => Promise<ListCase>>> = {
  "/v1/admin/users": async () => {
    for (let count = 0; count < 5; count++) await causeway.createUser();
    return { path: "/v1/admin/users", token: causeway.adminToken, remove: deleteUser };
  },
  "/v1/admin/audit": () => Promise.resolve({ path: "/v1/admin/audit", token: causeway.adminToken }),
  "/v1/admin/users/{user_id}/keys": async () => {
    const { id } = await userWithKeys();
    return { path: `/v1/admin/users/${id}/keys`, token: causeway.adminToken };
  },
  "/v1/admin/services": async () => {
    for (let count = 0; count < 5; count++) {
      const har = { log: { version: "1.2", creator: {}, entries: [] } };
      await asOperator("POST", `/v1/admin/services/service-${count}/traffic`, har);
    }
    const remove = (id: string) => asOperator("DELETE", `/v1/admin/services/${id}`);
    return { path: "/v1/admin/services", token: causeway.adminToken, remove };
  },
  "/v1/sessions": async () => {
    const { id, session: token } = await causeway.createUser();
    for (let count = 1; count < 5; count++) {
      await asOperator("POST", `/v1/admin/users/${id}/sessions`);
    }
    const remove = (session: string) =>
      causeway.call("DELETE", `/v1/sessions/${session}`, { token });
    return { path: "/v1/sessions", token, remove };
  },
  "/v1/keys": async () => ({ path: "/v1/keys", token: (await userWithKeys()).session }),
  "/v1/audit": async () => ({ path: "/v1/audit", token: (await userWithKeys()).session }),
  "/v1/upstreams": async () => {
    const { session: token } = await causeway.createUser();
    for (const label of ["a", "b", "c", "d", "e"]) {
      const body = { label, base_url: upstream.baseUrl, api_key: "k" };
      await causeway.call("POST", "/v1/upstreams", { token, body });
    }
    const remove = (slug: string) => causeway.call("DELETE", `/v1/upstreams/${slug}`, { token });
    return { path: "/v1/upstreams", token, remove };
  },
  "/v1/items": async () => {
    const { token, ids } = await userWithItems();
    expect(ids).toHaveLength(5);
    const remove = (id: string) => causeway.call("DELETE", `/v1/items/${id}`, { token });
    return { path: "/v1/items", token, remove };
  },
  "/v1/teams/{team_id}/items": async () => {
    const { userId, token, ids } = await userWithItems();
    const team = await insertTeam(causeway.connectionString, [{ userId, role: "owner" }]);
    const path = `/v1/teams/${team}/items`;
    for (const id of ids) await causeway.call("PUT", `${path}/${id}`, { token });
    return { path, token, remove: (id) => causeway.call("DELETE", `${path}/${id}`, { token }) };
  },
  "/v1/usage": async () => {
    const user = await causeway.createUser();
    const { session: token } = user;
    const body = {
      label: "box",
      base_url: upstream.baseUrl,
      api_key: "k",
      dialect: "dialect_chat",
    };
    await causeway.call("POST", "/v1/upstreams", { token, body });
    for (let count = 0; count < 5; count++) {
      const { secret } = await user.createKey();
      const call = { model: "custom/box/m", messages: [] };
      await causeway.call("POST", "/v1/chat/completions", { token: secret, body: call });
    }
    return { path: "/v1/usage?group_by=key", token };
  },
  "/v1/calls": async () => {
    const { id, session: token } = await causeway.createUser();
    await keepFive(id);
    return { path: "/v1/calls", token };
  },
  "/v1/admin/calls": async () => {
    const { id } = await causeway.createUser();
    await keepFive(id);
    return { path: `/v1/admin/calls?account_id=${id}`, token: causeway.adminToken };
  },
  "/v1/agent/threads": async () => {
    const user = await causeway.createUser();
    const { secret: token } = await user.createKey();
    for (let count = 0; count < 5; count++) await insertThread(causeway.connectionString, user.id);
    const remove = (session: string) =>
      causeway.call("DELETE", `/v1/agent/threads/${session}`, { token });
    return { path: "/v1/agent/threads", token, remove };
  },
  ...teamLists(() => causeway),
  "/v1/vendors": async () => ({
    path: "/v1/vendors",
    token: (await causeway.createUser()).session,
  }),
};

it("[operations.pages] knows every list that is mounted", () => {
  const mounted = gatewayServiceDescriptors
    .flatMap((service) => service.methods)
    .filter(({ input }) => input.fields.some(({ name }) => name === "after_id"))
    .flatMap(readRestRules)
    .map(({ template }) => template);
  expect(Object.keys(lists).toSorted()).toEqual(mounted.toSorted());
});

describe.each(Object.entries(lists))("GET %s", (_path, open) => {
  let list: ListCase;
  beforeAll(async () => {
    list = await open();
  });

  it("[list.ids] [endpoints.list] [teams.members] [page.after] gives every row once, in one order, forwards and backwards in pages of any size", async () => {
    const all = await allIds(list);
    expect(all.length).toBeGreaterThanOrEqual(5);
    for (const limit of [1, 2, 100]) {
      expect((await walk(list, "after_id", limit)).flat()).toEqual(all);
      const last = await page(list, { after_id: all.at(-2) ?? "" });
      const before = await walk(list, "before_id", limit, last.body.first_id);
      expect(before.toReversed().flat()).toEqual(all.slice(0, -1));
    }
  });

  it("[page.before] [pages.before] gives the page right before a cursor in list order", async () => {
    const all = await allIds(list);
    const { body } = await page(list, { before_id: all[3] ?? "", limit: "2" });
    expect(idsOf(body)).toEqual(all.slice(1, 3));
    expect(body).toMatchObject({ first_id: all[1], last_id: all[2], has_more: true });
  });

  it("[list.ids] [pages.empty] gives nulls on an empty page", async () => {
    const [first = ""] = await allIds(list);
    const { body } = await page(list, { before_id: first });
    const empty = { object: "list", data: [], has_more: false, first_id: null, last_id: null };
    expect(body).toMatchObject(empty);
  });

  it.each([
    ["limit", { limit: "0" }],
    ["limit", { limit: "101" }],
    ["limit", { limit: "ten" }],
    ["limit", { limit: "" }],
    ["limit", { limit: "1.5" }],
    ["after_id", { after_id: "nothing" }],
    ["before_id", { before_id: "nothing" }],
    ["before_id", { before_id: "nothing", after_id: "nothing" }],
  ])(
    "[page.invalid] [pages.both] [limit.page] answers 400 and names the parameter %s: %j",
    async (param, query) => {
      const answer = await page(list, query);
      expect(answer).toMatchObject({ status: 400, body: { error: "invalid_request", param } });
    },
  );

  it("[input.query] ignores parameters that it does not know", async () => {
    const answer = await page(list, { limit: "1", order: "desc", page: "x" });
    expect(answer).toMatchObject({ status: 200, body: { data: [{}], has_more: true } });
  });
});

describe("lists", () => {
  it("[page.limit] [pages.default] have 20 rows where no limit is sent, 100 at most", async () => {
    const user = await causeway.createUser();
    for (let count = 0; count < 21; count++) await user.createKey();
    const list = { path: "/v1/keys", token: user.session };
    expect((await page(list, {})).body).toMatchObject({ has_more: true, data: { length: 20 } });
    const { body } = await page(list, { limit: "100" });
    expect(body).toMatchObject({ has_more: false, data: { length: 21 } });
  });

  it("[pages.unknown] do not know rows of another account as cursors", async () => {
    const [mine, other] = [await userWithKeys(), await userWithKeys()];
    const [id = ""] = await allIds({ path: "/v1/keys", token: other.session });
    const answer = await page({ path: "/v1/keys", token: mine.session }, { after_id: id });
    expect(answer).toMatchObject({ status: 400, body: { param: "after_id" } });
  });

  it.each([
    "/v1/admin/users",
    "/v1/sessions",
    "/v1/upstreams",
    "/v1/items",
    "/v1/teams/{team_id}/items",
    "/v1/teams",
    "/v1/teams/{team_id}/members",
    "/v1/teams/{team_id}/invites",
  ])("[pages.removed] take a removed row for a cursor: %s", async (path) => {
    const list = await lists[path]?.();
    if (list?.remove === undefined) throw new Error(`nothing can be removed from ${path}`);
    const all = await allIds(list);
    const [first = "", removed = ""] = all;
    await list.remove(removed);
    const rest = all.filter((id) => id !== removed);
    expect(await allIds(list)).toEqual(rest);
    expect((await walk(list, "after_id", 100, removed)).flat()).toEqual(rest.slice(1));
    expect(idsOf((await page(list, { before_id: removed })).body)).toEqual([first]);
  });
});

async function keepFive(accountId: string): Promise<void> {
  const writer = await openCallWriter(causeway.connectionString);
  await writer.keep(...Array.from({ length: 5 }, () => ({ accountId, keyId: "key_1" })));
  await writer.close();
}

async function userWithKeys() {
  const user = await causeway.createUser();
  for (let count = 0; count < 5; count++) await user.createKey();
  return user;
}

async function userWithItems() {
  const { id: userId, session: token } = await causeway.createUser();
  const ids: string[] = [];
  for (let count = 0; count < 5; count++) {
    const body = { kind: "rules", text: `Rule ${count}` };
    ids.push((await causeway.call("POST", "/v1/items", { token, body })).body.id as string);
  }
  return { userId, token, ids };
}

function deleteUser(id: string): Promise<RestAnswer> {
  return asOperator("DELETE", `/v1/admin/users/${id}`);
}

function asOperator(method: string, path: string, body?: object): Promise<RestAnswer> {
  return causeway.call(method, path, { token: causeway.adminToken, ...(body && { body }) });
}

function page({ path, token }: ListCase, query: Record<string, string>): Promise<RestAnswer> {
  const separator = path.includes("?") ? "&" : "?";
  const parameters = new URLSearchParams(query).toString();
  return causeway.call("GET", `${path}${separator}${parameters}`, { token });
}

/** Pages from a cursor to the end of the list, in the order in which they were read. */
async function walk(
  list: ListCase,
  direction: "after_id" | "before_id",
  limit: number,
  start?: string,
): Promise<string[][]> {
  const pages: string[][] = [];
  for (let cursor = start; ;) {
    const at = cursor === undefined ? {} : { [direction]: cursor };
    const { body } = await page(list, { limit: `${limit}`, ...at });
    pages.push(idsOf(body));
    if (body.has_more !== true) return pages;
    cursor = direction === "after_id" ? body.last_id : body.first_id;
  }
}

async function allIds(list: ListCase): Promise<string[]> {
  return (await walk(list, "after_id", 100)).flat();
}

/** Ids that the rows of a page are paged by. */
function idsOf(body: RestAnswer["body"]): string[] {
  const rows = body.data as Partial<
    Record<"id" | "slug" | "user_id" | "code" | "key_id" | "session", string>
  >[];
  return rows.map(
    (row) => row.id ?? row.session ?? row.slug ?? row.user_id ?? row.code ?? row.key_id ?? "",
  );
}

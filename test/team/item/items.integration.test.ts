/** A person's own items, from outside: listed, made, changed, deleted. */
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ItemKind, ItemService } from "../../../gen/ts/causeway/item/v1/item_pb.ts";
import { refusedAddresses } from "../../platform/dial/refused-addresses.ts";
import { selectRows } from "../../support/select-rows.ts";
import { insertTeam } from "../../support/team-rows.ts";
import {
  startTestInstance,
  type RestAnswer,
  type TestInstance,
  type TestUser,
} from "../../support/test-instance.ts";

let causeway: TestInstance;
let user: TestUser;

beforeAll(async () => {
  causeway = await startTestInstance();
});

beforeEach(async () => {
  user = await causeway.createUser();
});

afterAll(() => causeway.close());

const url = "http://127.0.0.1:9/mcp";
const unknown = "item_00000000000000000000000000";
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe("createItem", () => {
  it.each<[Record<string, unknown>, Record<string, unknown>?]>([
    [{ kind: "mcp", url }],
    [
      { kind: "mcp", name: "Files", url, headers: { Authorization: "Bearer s3cret", "X-A": "" } },
      { headers: { Authorization: "[redacted]", "X-A": "[redacted]" } },
    ],
    [{ kind: "mcp", url, tools: ["search", "read_*"], approval: "always" }],
    [{ kind: "mcp", url, approval: "never" }],
    [{ kind: "rules", text: "Be brief." }],
    [{ kind: "rules", name: "  Tone ", text: " Be brief.\n" }, { name: "Tone" }],
    [{ kind: "skills", name: "n".repeat(200), description: "When asked", text: "t" }],
  ])("[items.kinds] [shape.item] makes an item of %j", async (body, changed = {}) => {
    const answer = await create(body);
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^item_[0-9a-z]{26}$/),
      object: "item",
      ...body,
      ...changed,
      user_id: user.id,
      created_at: time,
      updated_at: answer.body.created_at,
    });
    const list = await call("GET", "/v1/items");
    expect(list.body).toMatchObject({ object: "list", data: [answer.body], has_more: false });
  });

  it.each<[string, Record<string, unknown>]>([
    ["kind", {}],
    ["kind", { kind: "tools", text: "t" }],
    ["kind", { kind: null }],
    ["url", { kind: "mcp" }],
    ["text", { kind: "mcp", url, text: "t" }],
    ["description", { kind: "mcp", url, description: "d" }],
    ["text", { kind: "rules" }],
    ["text", { kind: "rules", text: "" }],
    ["url", { kind: "rules", text: "t", url }],
    ["headers", { kind: "rules", text: "t", headers: { a: "b" } }],
    ["description", { kind: "rules", text: "t", description: "d" }],
    ["name", { kind: "skills", description: "d", text: "t" }],
    ["description", { kind: "skills", name: "n", text: "t" }],
    ["text", { kind: "skills", name: "n", description: "d" }],
    ["name", { kind: "rules", name: " ", text: "t" }],
    ["name", { kind: "rules", name: null, text: "t" }],
    ["user_id", { kind: "rules", text: "t", user_id: "user_1" }],
    ["url", { kind: "mcp", url: `${url}?token=t` }],
    ["tools", { kind: "mcp", url, tools: Array.from({ length: 5 }, () => "a*".repeat(41)) }],
    ["url", { kind: "mcp", url: "example.com" }],
    ["headers.Host", { kind: "mcp", url, headers: { Host: "h" } }],
    ["headers.cookie", { kind: "mcp", url, headers: { cookie: "c" } }],
    ["headers.X-Forwarded-For", { kind: "mcp", url, headers: { "X-Forwarded-For": "1.1.1.1" } }],
    ["headers.a", { kind: "mcp", url, headers: { a: "[redacted]" } }],
    ["headers.a", { kind: "mcp", url, headers: { a: "ü" } }],
    ["headers.a", { kind: "mcp", url, headers: { a: 1 } }],
    ["tools", { kind: "rules", text: "t", tools: ["a"] }],
    ["approval", { kind: "rules", text: "t", approval: "never" }],
    ["approval", { kind: "mcp", url, approval: "sometimes" }],
    ["tools[0]", { kind: "mcp", url, tools: [""] }],
  ])("[items.kinds] answers 400, names %s and saves nothing: %j", expectRefused);

  it.each<[string, Record<string, unknown>]>([
    ["text", { kind: "rules", text: "t".repeat(100_001) }],
    ["name", { kind: "rules", name: "n".repeat(201), text: "t" }],
    ["url", { kind: "mcp", url: `https://example.com/${"x".repeat(2048)}` }],
    ["tools", { kind: "mcp", url, tools: Array.from({ length: 101 }, () => "a") }],
    ["tools[1]", { kind: "mcp", url, tools: ["a", "t".repeat(129)] }],
  ])("answers 400, names %s and saves nothing where it is too long", expectRefused);

  it("judges the address of an MCP server like that of an endpoint", async () => {
    const strict = await startTestInstance({ environment: { CAUSEWAY_UPSTREAM_ALLOW: "" } });
    const { session: token } = await strict.createUser();
    for (const address of [...refusedAddresses.map(([, url]) => url), `${strict.url}/mcp`]) {
      const body = { kind: "mcp", url: address };
      const { status, body: refused } = await strict.call("POST", "/v1/items", { token, body });
      expect([address, status, refused.param]).toEqual([address, 400, "url"]);
    }
    await strict.close();
  });

  it("makes one item of a request that is repeated under an Idempotency-Key", async () => {
    const headers = { "idempotency-key": "once" };
    const body = { kind: "mcp", url, headers: { authorization: "Bearer s3cret" } };
    const send = (sent: unknown) =>
      causeway.call("POST", "/v1/items", { token: user.session, headers, body: sent });
    const [first, again] = [await send(body), await send(body)];
    expect([again.status, again.body]).toEqual([201, first.body]);
    const other = await send({ ...body, url: `${url}/2` });
    expect(other).toMatchObject({ status: 400, body: { param: "Idempotency-Key" } });
    expect((await call("GET", "/v1/items")).body.data).toHaveLength(1);
  });
});

describe("header values", () => {
  it("[identity.mcp-sealed] are sealed at rest and never shown, to a session as little as to a key", async () => {
    const made = await create({ kind: "mcp", url, headers: { Authorization: "Bearer s3cret" } });
    const key = await user.createKey({ scopes: ["teams:read"] });
    for (const token of [user.session, key.secret]) {
      const { body } = await causeway.call("GET", "/v1/items", { token });
      expect(body.data).toMatchObject([{ headers: { Authorization: "[redacted]" } }]);
    }
    const [row] = await select("select * from items where id = $1", made.body.id);
    expect(row?.["headers"]).toMatch(/^v1\./);
    const audit = await call("GET", "/v1/audit?limit=100");
    const everything = [row, audit.body, causeway.logLines()];
    expect(JSON.stringify(everything)).not.toContain("s3cret");
  });
});

describe("updateItem", () => {
  it("changes what is sent and nothing else; {} changes nothing", async () => {
    const skill = { kind: "skills", name: "a", description: "b", text: "c" };
    const { body: made } = await create(skill);
    expect(await patch(made.id, {})).toMatchObject({ status: 200, body: made });
    for (const [field, value] of Object.entries({ name: "x", description: "y", text: "z" })) {
      const { status, body } = await patch(made.id, { [field]: value });
      expect({ status, body }).toEqual({
        status: 200,
        body: { ...made, [field]: value, updated_at: time },
      });
      made[field] = value;
    }
    const { body: list } = await call("GET", "/v1/items");
    expect(list.data).toEqual([{ ...made, updated_at: time }]);
  });

  it("[items.kinds] limits the tools of an MCP server and their approval, and lets all of them again", async () => {
    const { body: made } = await create({ kind: "mcp", url });
    const limits = { tools: ["read_*"], approval: "always" };
    expect((await patch(made.id, limits)).body).toEqual({ ...made, ...limits, updated_at: time });
    const { body } = await patch(made.id, { tools: [], approval: "never" });
    expect(body).toEqual({ ...made, approval: "never", updated_at: time });
  });

  it.each<[string, Record<string, unknown>]>([
    ["kind", { kind: "rules" }],
    ["text", { text: "t" }],
    ["description", { description: "d" }],
    ["url", { url: null }],
    ["name", { name: null }],
    ["name", { name: "" }],
    ["headers", { headers: null }],
    ["url", { url: "http://169.254.169.254/mcp" }],
    ["headers.host", { headers: { host: "h" } }],
    ["headers.other", { headers: { other: "[redacted]" } }],
    ["tools", { tools: null }],
    ["approval", { approval: null }],
    ["id", { id: "x" }],
    ["update_mask", { update_mask: "url" }],
  ])("answers 400, names %s and changes nothing: %j", async (param, changes) => {
    const { body: made } = await create({ kind: "mcp", name: "n", url, headers: { a: "1" } });
    expect(await patch(made.id, changes)).toMatchObject({ status: 400, body: { param } });
    expect((await call("GET", "/v1/items")).body.data).toEqual([made]);
  });

  it("replaces headers whole; [redacted] keeps a value", async () => {
    const { body: made } = await create({ kind: "mcp", url, headers: { Keep: "1", drop: "2" } });
    const { body } = await patch(made.id, { headers: { keep: "[redacted]", more: "3" } });
    expect(body.headers).toEqual({ keep: "[redacted]", more: "[redacted]" });
    const cleared = await patch(made.id, { headers: {} });
    expect(cleared.body).not.toHaveProperty("headers");
    const [row] = await select("select headers from items where id = $1", made.id);
    expect(row).toEqual({ headers: null });
  });

  it("never sends stored headers to another server", async () => {
    const { body: made } = await create({ kind: "mcp", url, headers: { authorization: "s" } });
    const elsewhere = "http://127.0.0.1:10/mcp";
    const kept = { authorization: "[redacted]" };
    for (const changes of [{ url: elsewhere }, { url: elsewhere, headers: kept }]) {
      const refused = await patch(made.id, changes);
      expect(refused).toMatchObject({ status: 400, body: { param: "headers" } });
    }
    expect((await patch(made.id, { url: `${url}/v2` })).status).toBe(200);
    const moved = await patch(made.id, { url: elsewhere, headers: { authorization: "t" } });
    expect(moved).toMatchObject({ status: 200, body: { url: elsewhere } });
    expect((await patch(made.id, { headers: {} })).status).toBe(200);
    expect((await patch(made.id, { url })).status).toBe(200);
  });

  it("follows the mask over Connect", async () => {
    const { body: made } = await create({ kind: "mcp", name: "n", url, headers: { a: "1" } });
    const transport = createConnectTransport({ baseUrl: causeway.url, httpVersion: "1.1" });
    const client = createClient(ItemService, transport);
    const headers = { authorization: `Bearer ${user.session}` };
    const update = (fields: object) => client.updateItem({ id: made.id, ...fields }, { headers });
    expect(await update({ name: "m" })).toMatchObject({
      kind: ItemKind.MCP,
      name: "m",
      headers: { a: "[redacted]" },
    });
    const cleared = await update({ name: "no", updateMask: { paths: ["headers"] } });
    expect(cleared).toMatchObject({ name: "m", headers: {} });
    await expect(update({ updateMask: { paths: ["url"] } })).rejects.toThrow("`url`");
    await expect(update({ updateMask: { paths: ["kind"] } })).rejects.toThrow("`kind`");
  });
});

describe("deleteItem", () => {
  it("answers that it is gone, forgets its content and gives 404 from then on", async () => {
    const { body: made } = await create({ kind: "mcp", url, headers: { a: "1" } });
    const answer = await call("DELETE", `/v1/items/${made.id}`);
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual({ id: made.id, object: "item", deleted: true });
    const [row] = await select("select url, headers from items where id = $1", made.id);
    expect(row).toEqual({ url: null, headers: null });
    expect(await call("DELETE", `/v1/items/${made.id}`)).toMatchObject({ status: 404 });
    expect(await patch(made.id, {})).toMatchObject({ status: 404, body: { error: "not_found" } });
  });
});

describe("an item", () => {
  it("exists for its owner only", async () => {
    const { body: made } = await create({ kind: "rules", text: "mine" });
    const { session: token } = await causeway.createUser();
    for (const id of [made.id, unknown]) {
      const path = `/v1/items/${id}`;
      const answers = [
        await causeway.call("PATCH", path, { token, body: { text: "yours" } }),
        await causeway.call("DELETE", path, { token }),
      ];
      for (const answer of answers) expect(answer).toMatchObject({ status: 404 });
    }
    expect((await causeway.call("GET", "/v1/items", { token })).body.data).toEqual([]);
  });

  it("cannot be a team key's", async () => {
    const team_id = await insertTeam(causeway.connectionString, [
      { userId: user.id, role: "owner" },
    ]);
    const { body: item } = await create({ kind: "rules", text: "mine" });
    const scopes = ["teams:read", "teams:write"];
    const { secret: token } = await user.createKey({ team_id, scopes });
    const attempts: [string, string, unknown?][] = [
      ["GET", "/v1/items"],
      ["POST", "/v1/items", { kind: "rules", text: "t" }],
      ["PATCH", `/v1/items/${item.id}`, { text: "t" }],
      ["DELETE", `/v1/items/${item.id}`],
      ["PUT", `/v1/teams/${team_id}/items/${item.id}`],
    ];
    for (const [method, path, body] of attempts) {
      expect(await causeway.call(method, path, { token, body })).toMatchObject({
        status: 403,
        body: { error: "insufficient_scope" },
      });
    }
  });

  it("leaves a trail: who, what before and after, and no text or secret", async () => {
    const { body: made } = await create({ kind: "mcp", name: "a", url, headers: { h: "1" } });
    await patch(made.id, { name: "b" });
    await patch(made.id, { name: "b", headers: { h: "1" } });
    await patch(made.id, { headers: { h: "2" } });
    await call("DELETE", `/v1/items/${made.id}`);
    const { body } = await call("GET", "/v1/audit?limit=100");
    const events = body.data.filter(({ target }: { target: string }) => target === made.id);
    const described = { kind: "mcp", name: "b", url, content_revision: 1 };
    expect(events).toMatchObject([
      { type: "item.created", after: { ...described, name: "a", content_revision: 0 } },
      { type: "item.updated", before: { name: "a" }, after: { name: "b" } },
      {
        type: "item.updated",
        before: { content_revision: 0 },
        after: { content_revision: 1 },
      },
      { type: "item.deleted", before: described, actor: { user_id: user.id } },
    ]);
  });

  it("goes with its owner's account", async () => {
    const { body: made } = await create({ kind: "rules", text: "mine" });
    await causeway.call("DELETE", `/v1/admin/users/${user.id}`, { token: causeway.adminToken });
    const [row] = await select("select text, deleted_at from items where id = $1", made.id);
    expect(row).toEqual({ text: null, deleted_at: expect.any(Date) });
  });
});

function call(method: string, path: string): Promise<RestAnswer> {
  return causeway.call(method, path, { token: user.session });
}

function create(body: unknown): Promise<RestAnswer> {
  return causeway.call("POST", "/v1/items", { token: user.session, body });
}

async function expectRefused(param: string, body: Record<string, unknown>): Promise<void> {
  expect(await create(body)).toMatchObject({
    status: 400,
    body: { error: "invalid_request", param },
  });
  expect((await call("GET", "/v1/items")).body.data).toEqual([]);
}

function patch(id: string, body: unknown): Promise<RestAnswer> {
  return causeway.call("PATCH", `/v1/items/${id}`, { token: user.session, body });
}

function select(sql: string, id: string): Promise<Record<string, unknown>[]> {
  return selectRows(causeway.connectionString, sql, id);
}

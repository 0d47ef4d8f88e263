import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { Dialect, DialectChoice } from "../../gen/ts/causeway/dialect/v1/dialect_pb.ts";
import { Dialer } from "../../src/platform/dial/dialer.ts";
import { newResourceId } from "../../src/platform/ids.ts";
import { refusedAddresses } from "../platform/dial/refused-addresses.ts";
import {
  callerKey,
  listingUpstream,
  openEndpointFixture,
  person,
  refusal,
  type EndpointFixture,
} from "../support/endpoint-fixture.ts";
import { sendJson, startLoopbackServer } from "../support/loopback-server.ts";
import { clientOf, create, createCaller } from "./upstream-caller.ts";

let fixture: EndpointFixture;

beforeAll(async () => {
  fixture = await openEndpointFixture(async (hostname) => {
    if (hostname === "inside.example") return [{ address: "10.1.1.1", family: 4 }];
    if (hostname === "odd.example") throw Object.assign(new Error("odd"), { code: "EODD" });
    throw Object.assign(new Error("unknown name"), { code: "ENOTFOUND" });
  });
});

afterAll(() => fixture.close());

describe("createUpstream", () => {
  it("saves the endpoint and folds in what the probe found", async () => {
    const upstream = await startLoopbackServer((_, response) =>
      sendJson(response, 200, {
        object: "list",
        data: [
          { id: "b", object: "model", name: "Bee", context_length: 8192 },
          { id: "c", object: "model", max_output_tokens: 100 },
        ],
      }),
    );
    const { client } = createCaller(fixture);
    const made = await create(client, { baseUrl: upstream.origin, models: ["z", "b", "z"] });
    expect(made.upstream).toMatchObject({
      slug: "my-gpu",
      label: "My GPU",
      baseUrl: upstream.origin,
      dialect: Dialect.CHAT,
      models: ["z", "b", "c"],
      modelNames: { b: "Bee" },
      modelMeta: { b: { contextWindow: 8192 }, c: { maxOutputTokens: 100 } },
      probe: { ok: true, modelsFound: 2 },
    });
    expect(made.probe).toEqual(made.upstream?.probe);
    expect(made.probe?.error).toBeUndefined();
    const listed = await client.listUpstreams({});
    expect(listed.data).toEqual([made.upstream]);
    expect(listed.upstreams).toEqual(listed.data);
  });

  it("[address.slash] returns a base address as it was sent", async () => {
    const { listener, requests } = listingUpstream([]);
    const upstream = await startLoopbackServer(listener);
    const { client } = createCaller(fixture);
    for (const suffix of ["", "/", "/v1/", "/openai/v2"]) {
      const made = await create(client, { baseUrl: upstream.origin + suffix });
      expect(made.upstream?.baseUrl).toBe(upstream.origin + suffix);
    }
    expect(requests.map(({ url }) => url)).toEqual([
      "/v1/models",
      "/v1/models",
      "/v1/models",
      "/openai/v2/models",
    ]);
  });

  it("[probe.create] [probe.dialect] saves the endpoint when the probe fails", async () => {
    const upstream = await startLoopbackServer((_, response) => sendJson(response, 401, {}));
    const { client } = createCaller(fixture);
    const { probe } = await create(client, { baseUrl: upstream.origin, models: ["a"] });
    expect(probe).toMatchObject({ ok: false, error: "http_401" });
    expect(probe?.modelsFound).toBeUndefined();
    const { data } = await client.listUpstreams({});
    expect(data).toMatchObject([{ models: ["a"], dialect: Dialect.CHAT }]);
  });

  it("[base-url.unknown-name] saves an endpoint whose name is not known", async () => {
    const { client } = createCaller(fixture);
    const { probe } = await create(client, { baseUrl: "https://nowhere.example/v1" });
    expect(probe).toMatchObject({ ok: false, error: "dns" });
  });

  it("saves an endpoint whose name fails in a way that nothing here knows", async () => {
    const { client } = createCaller(fixture);
    const { probe } = await create(client, { baseUrl: "https://odd.example/v1" });
    expect(probe).toMatchObject({ ok: false, error: "connect" });
  });

  it.each([
    ["a private address", "https://10.0.0.1:8443/v1", "10.0.0.1:8443"],
    ["plain http", "http://1.1.1.1/v1", "1.1.1.1:80"],
    ["a name of a private address", "https://inside.example/v1", "inside.example:443"],
    ["a metadata address", "http://169.254.169.254/", "169.254.169.254:80"],
    ["user and password", "https://user:pass@example.com/", "user name"],
    ["a query", "https://example.com/v1?key=1", "query"],
    ["no address", "example.com", "absolute http or https"],
  ])("[base-url.refused] refuses %s and saves nothing", async (_, baseUrl, text) => {
    const { client } = createCaller(fixture);
    expect(await refusal(create(client, { baseUrl }))).toMatchObject({
      code: "invalid_request",
      param: "base_url",
      message: expect.stringContaining(text),
    });
    expect((await client.listUpstreams({})).data).toEqual([]);
  });

  it.each(refusedAddresses)("refuses %s where nothing is allowed: %s", async (_, baseUrl) => {
    const dialer = new Dialer({ allow: [], connectMs: 2000 });
    onTestFinished(() => dialer.close());
    const { client } = createCaller({ ...fixture, dialer });
    expect(await refusal(create(client, { baseUrl }))).toMatchObject({
      code: "invalid_request",
      param: "base_url",
    });
  });

  it("refuses headers that the server sets itself", async () => {
    const { client } = createCaller(fixture);
    for (const name of ["Host", "X-Forwarded-For", "authorization"]) {
      const failed = create(client, { baseUrl: "https://1.1.1.1", headers: { [name]: "x" } });
      expect(await refusal(failed)).toMatchObject({ param: `headers.${name}` });
    }
    const placeholder = { "x-team": "[redacted]" };
    const failed = create(client, { baseUrl: "https://1.1.1.1", headers: placeholder });
    expect(await refusal(failed)).toMatchObject({ param: "headers.x-team" });
  });

  it("[endpoints.create-options] [probe.auto] tells the dialect when it is left to the server", async () => {
    const upstream = await startLoopbackServer((request, response) => {
      const known = request.headers["x-api-key"] === "sk-secret";
      sendJson(response, known ? 200 : 401, { data: [{ id: "m" }] });
    });
    const { client } = createCaller(fixture);
    const automatic = await create(client, { baseUrl: upstream.origin });
    expect(automatic.upstream).toMatchObject({ dialect: Dialect.MESSAGES, models: ["m"] });
    const chat = await create(client, { baseUrl: upstream.origin, dialect: DialectChoice.CHAT });
    expect(chat).toMatchObject({
      upstream: { dialect: Dialect.CHAT },
      probe: { error: "http_401" },
    });
  });

  it("gives equal labels different slugs, even at the same time", async () => {
    const upstream = await startLoopbackServer(listingUpstream([]).listener);
    const { client } = createCaller(fixture);
    const made = await Promise.all(
      Array.from({ length: 8 }, () => create(client, { baseUrl: upstream.origin })),
    );
    const slugs = made.map((answer) => answer.upstream?.slug);
    const numbered = [2, 3, 4, 5, 6, 7, 8].map((count) => `my-gpu-${count}`);
    expect(new Set(slugs)).toEqual(new Set(["my-gpu", ...numbered]));
  });

  it("holds no transaction while it probes", async () => {
    const seen: Promise<Record<string, unknown>[]>[] = [];
    const upstream = await startLoopbackServer((_, response) => {
      const states = fixture.select(
        "select 1 from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'",
      );
      seen.push(states.finally(() => sendJson(response, 200, { data: [] })));
    });
    const { client } = createCaller(fixture);
    const { upstream: made } = await create(client, { baseUrl: upstream.origin });
    await client.probeUpstream({ slug: made?.slug ?? "" });
    await client.updateUpstream({ slug: made?.slug ?? "", apiKey: "another" });
    expect(await Promise.all(seen)).toEqual([[], [], []]);
  });

  it("keeps secrets sealed, and out of the audit log", async () => {
    const upstream = await startLoopbackServer(listingUpstream([]).listener);
    const { client, accountId } = createCaller(fixture);
    await create(client, { baseUrl: upstream.origin, headers: { "X-Team": "secret-header" } });
    const rows = await fixture.select("select * from upstreams where account_id = ?", accountId);
    const events = await fixture.select(
      "select * from audit_events where account_id = ?",
      accountId,
    );
    expect(events).toMatchObject([
      { type: "upstream.created", target: "my-gpu", actor_user_id: accountId, before: null },
    ]);
    const text = JSON.stringify([rows, events]);
    expect(text).not.toContain("sk-secret");
    expect(text).not.toContain("secret-header");
  });
});

describe("listUpstreams", () => {
  it("shows header values to a session and not to a key", async () => {
    const upstream = await startLoopbackServer(listingUpstream([]).listener);
    const accountId = newResourceId("user");
    const [session, key] = [
      clientOf(fixture, person(accountId)),
      clientOf(fixture, callerKey(accountId)),
    ];
    const headers = { "X-Team": "blue" };
    const made = await create(key, { baseUrl: upstream.origin, headers });
    expect(made.upstream?.headers).toEqual({ "X-Team": "[redacted]" });
    expect((await key.listUpstreams({})).data[0]?.headers).toEqual({ "X-Team": "[redacted]" });
    expect((await session.listUpstreams({})).data[0]?.headers).toEqual(headers);
    expect((await key.probeUpstream({ slug: "my-gpu" })).upstream?.headers).toEqual({
      "X-Team": "[redacted]",
    });
  });

  it("pages by slug in both directions, also past a removed endpoint", async () => {
    const upstream = await startLoopbackServer(listingUpstream([]).listener);
    const { client } = createCaller(fixture);
    for (const label of ["a", "b", "c", "d"])
      await create(client, { baseUrl: upstream.origin, label });
    const first = await client.listUpstreams({ limit: 2 });
    expect(first).toMatchObject({ hasMore: true, firstId: "a", lastId: "b", object: "list" });
    await client.deleteUpstream({ slug: "b" });
    const second = await client.listUpstreams({ limit: 2, afterId: "b" });
    expect(second).toMatchObject({ hasMore: false, firstId: "c", lastId: "d" });
    const back = await client.listUpstreams({ beforeId: "c" });
    expect(back.data.map(({ slug }) => slug)).toEqual(["a"]);
    expect(await refusal(client.listUpstreams({ afterId: "x" }))).toMatchObject({
      param: "after_id",
    });
  });

  it("shows an account its own endpoints only", async () => {
    const upstream = await startLoopbackServer(listingUpstream([]).listener);
    const [mine, other] = [createCaller(fixture).client, createCaller(fixture).client];
    await create(mine, { baseUrl: upstream.origin });
    const empty = await other.listUpstreams({});
    expect(empty).toMatchObject({ data: [], upstreams: [], hasMore: false });
    expect([empty.firstId, empty.lastId]).toEqual([undefined, undefined]);
    const slug = "my-gpu";
    expect(await refusal(other.probeUpstream({ slug }))).toMatchObject({ code: "not_found" });
    expect(await refusal(other.updateUpstream({ slug }))).toMatchObject({ code: "not_found" });
    expect(await refusal(other.deleteUpstream({ slug }))).toMatchObject({ code: "not_found" });
  });
});

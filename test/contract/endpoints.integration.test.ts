/** Custom endpoints over REST. */
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Client } from "pg";
import { json, startFakeUpstream, text } from "../support/fake-upstream.ts";
import {
  startTestInstance,
  type RestAnswer,
  type TestInstance,
  type TestUser,
} from "../support/test-instance.ts";

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance();
});

afterAll(() => causeway.close());

const listed = {
  object: "list",
  data: [
    { id: "b", object: "model", name: "Bee", context_length: 8192 },
    { id: "c", object: "model", max_output_tokens: 100 },
  ],
};
const responseObject = {
  id: "resp_theirs",
  object: "response",
  created_at: 1,
  model: "b",
  status: "completed",
  output: [
    {
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "Hello.", annotations: [] }],
    },
  ],
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
};
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe("POST /v1/upstreams", () => {
  it("[upstream.label] [upstream.base-url] [upstream.models] [upstream.model-names] [upstream.model-meta] [upstream.probe] [upstream.updated-at] [upstream.with-probe] [probe.maps] [service.endpoints] answers 201 with the endpoint and its probe, every field and no key", async () => {
    const { origin } = await startFakeUpstream(json(listed));
    const user = await causeway.createUser();
    const sent = { label: "My GPU", base_url: `${origin}/v1/`, models: ["z", "b"] };
    const { status, body } = await create(user, sent);
    expect(status).toBe(201);
    const probe = { ok: true, models_found: 2, at: expect.stringMatching(instant) };
    expect(body).toEqual({
      upstream: {
        slug: "my-gpu",
        label: "My GPU",
        base_url: `${origin}/v1/`,
        dialect: "dialect_chat",
        models: ["z", "b", "c"],
        model_names: { b: "Bee" },
        model_meta: { b: { context_window: 8192 }, c: { max_output_tokens: 100 } },
        probe,
        updated_at: expect.stringMatching(instant),
        health: { status: "ok" },
      },
      probe,
    });
  });

  it("[upstream.probe-fields] [endpoints.create-answer] saves an endpoint whose probe fails, and says how it failed", async () => {
    const { origin } = await startFakeUpstream(
      text("<html>", 200, { "content-type": "text/html" }),
    );
    const user = await causeway.createUser();
    const { status, body } = await create(user, { base_url: origin });
    expect(status).toBe(201);
    expect(body.probe).toEqual({
      ok: false,
      error: "not_json",
      at: expect.stringMatching(instant),
    });
    const list = await causeway.call("GET", "/v1/upstreams", { token: user.session });
    expect(list.body.data).toEqual([body.upstream]);
  });

  it.each([
    ["of more than 255 characters", `${"a".repeat(60)}.`.repeat(5)],
    ["with a label of more than 63 characters", `${"a".repeat(64)}.`],
  ])(
    "[base-url.unknown-name] saves an endpoint with a name %s, which nobody can resolve",
    async (_what, name) => {
      const user = await causeway.createUser();
      const { status, body } = await create(user, { base_url: `https://${name}example/v1` });
      expect([status, body.probe?.ok, body.probe?.error]).toEqual([201, false, "dns"]);
    },
  );

  it("saves an endpoint whose answer has more headers than are read", async () => {
    const { origin } = await startFakeUpstream(text("", 200, { "x-long": "x".repeat(20_000) }));
    const user = await causeway.createUser();
    const { status, body } = await create(user, { base_url: origin });
    expect([status, body.probe?.error]).toEqual([201, "connect"]);
  });

  it("[probe.auto-style] is dialled in the dialect whose credential style its endpoint answers", async () => {
    const { origin } = await startFakeUpstream((response, request) => {
      const isRefused = request.headers["x-api-key"] !== "sk-local";
      const answer = request.method === "GET" ? listed : { id: "msg_1", type: "message" };
      return isRefused ? json({}, 401)(response, request) : json(answer)(response, request);
    });
    const user = await causeway.createUser();
    const { body } = await create(user, { base_url: origin, dialect: "auto" });
    expect([body.upstream.dialect, body.probe.ok]).toEqual(["dialect_messages", true]);
    const { secret: token } = await user.createKey({ scopes: ["gateway:invoke"] });
    const call = { model: `custom/${body.upstream.slug}/b`, max_tokens: 9, messages: [] };
    const answer = await causeway.call("POST", "/v1/messages", { token, body: call });
    expect(answer).toMatchObject({ status: 200, body: { id: "msg_1" } });
  });

  it("[clients.responses-endpoint] takes dialect_responses, which passes for its own callers and is transcoded for others", async () => {
    const upstream = await startFakeUpstream(json(listed));
    const user = await causeway.createUser();
    const { body } = await create(user, {
      base_url: upstream.origin,
      dialect: "dialect_responses",
    });
    expect([body.upstream?.dialect, body.probe?.ok]).toEqual(["dialect_responses", true]);
    expect((await upstream.request(0)).headers.authorization).toBe("Bearer sk-local");
    upstream.play(json(responseObject));
    const { secret: apiKey } = await user.createKey();
    const openai = new OpenAI({ baseURL: `${causeway.url}/v1`, apiKey, maxRetries: 0 });
    const anthropic = new Anthropic({ baseURL: causeway.url, apiKey, maxRetries: 0 });
    const model = "custom/local/b";
    const messages = [{ role: "user" as const, content: "Hi" }];
    const answer = await openai.responses.create({ model, input: "Hi", previous_response_id: "r" });
    expect([answer.id, answer.output_text]).toEqual([responseObject.id, "Hello."]);
    const passed = await upstream.request(1);
    expect(passed.body.toString()).toBe('{"model":"b","input":"Hi","previous_response_id":"r"}');
    const chat = await openai.chat.completions.create({ model, messages });
    expect(chat.choices[0]?.message.content).toBe("Hello.");
    const message = await anthropic.messages.create({ model, messages, max_tokens: 16 });
    expect(message.content).toMatchObject([{ type: "text", text: "Hello." }]);
    const paths = upstream.requests.slice(1).map(({ path }) => path);
    expect(paths).toEqual(Array.from({ length: 3 }, () => "/v1/responses"));
  });

  it("[clients.responses-endpoint] never chooses dialect_responses by itself", async () => {
    const { origin } = await startFakeUpstream((response, request) => {
      const isResponses = request.path.endsWith("/responses");
      return json({}, isResponses ? 200 : 404)(response, request);
    });
    const user = await causeway.createUser();
    const { body } = await create(user, { base_url: origin, dialect: "auto" });
    expect(body.upstream.dialect).toBe("dialect_chat");
  });

  it.each(["label", "base_url", "api_key"])("[endpoints.create-body] needs %s", async (field) => {
    const body = { label: "x", base_url: "https://1.1.1.1", api_key: "k", [field]: undefined };
    const { session: token } = await causeway.createUser();
    const answer = await causeway.call("POST", "/v1/upstreams", { token, body });
    expect(answer).toMatchObject({ status: 400, body: { param: field } });
  });

  it.each([
    ["no character", ""],
    ["blanks alone", "  "],
    ["a line break", "sk\nx"],
    ["a control character", "sk\u007f"],
    ["4097 characters", "k".repeat(4097)],
  ])("refuses an api_key of %s", async (_, api_key) => {
    const { session: token } = await causeway.createUser();
    const body = { label: "x", base_url: "https://1.1.1.1", api_key };
    const answer = await causeway.call("POST", "/v1/upstreams", { token, body });
    expect(answer).toMatchObject({ status: 400, body: { param: "api_key" } });
  });

  it.each([
    ["https://10.0.0.1:8443/v1", "10.0.0.1:8443"],
    ["https://167772161/v1", "167772161:443"],
    ["http://93.184.216.34/v1", "CAUSEWAY_UPSTREAM_ALLOW"],
  ])("refuses %s, names what was sent, and saves nothing", async (base_url, named) => {
    const user = await causeway.createUser();
    const { status, body } = await create(user, { base_url });
    expect([status, body.error, body.param]).toEqual([400, "invalid_request", "base_url"]);
    expect(body.message).toContain(named);
    const list = await causeway.call("GET", "/v1/upstreams", { token: user.session });
    expect(list.body.data).toEqual([]);
  });

  it.each([
    "host",
    "Authorization",
    "x-api-key",
    "cookie",
    "content-length",
    "transfer-encoding",
    "x-forwarded-for",
    "proxy-authorization",
  ])("[headers.names] refuses the header %s", async (name) => {
    const { origin } = await startFakeUpstream(json(listed));
    const user = await causeway.createUser();
    expect(await create(user, { base_url: origin, headers: { [name]: "x" } })).toMatchObject({
      status: 400,
      body: { error: "invalid_request", param: `headers.${name}` },
    });
  });

  it("[headers.count] [endpoints.create-options] takes 20 headers of 4 KiB and not one more", async () => {
    const { origin } = await startFakeUpstream(json(listed));
    const user = await causeway.createUser();
    const headers = numbered(20, "v".repeat(4096));
    expect((await create(user, { base_url: origin, headers })).status).toBe(201);
    expect(await create(user, { base_url: origin, headers: numbered(21, "v") })).toMatchObject({
      status: 400,
      body: { param: "headers" },
    });
    const long = { "x-long": "v".repeat(4097) };
    expect(await create(user, { base_url: origin, headers: long })).toMatchObject({
      status: 400,
      body: { param: "headers.x-long" },
    });
  });

  it("[slug.form] [slug.custom] [version.legacy] never gives the slug custom, and numbers equal labels", async () => {
    const { origin } = await startFakeUpstream(json(listed));
    const user = await causeway.createUser();
    const slugs: unknown[] = [];
    for (const label of ["Custom", "My GPU", "my gpu", "MY-GPU!", "ノート"]) {
      slugs.push((await create(user, { label, base_url: origin })).body.upstream.slug);
    }
    expect(slugs).toEqual(["custom-2", "my-gpu", "my-gpu-2", "my-gpu-3", "endpoint"]);
  });
});

describe("an endpoint", () => {
  it("[upstream.key-hidden] [auth.redacted] [upstream.headers] [identity.never-returned] shows header values to a session and to no key, and its key to nobody", async () => {
    const { origin } = await startFakeUpstream(json(listed));
    const user = await causeway.createUser();
    const scopes = ["endpoints:read", "endpoints:write"];
    const { secret } = await user.createKey({ scopes });
    const headers = { "X-Team": "blue-secret" };
    const sent = { label: "L", base_url: origin, api_key: "sk-secret", headers };
    const made = await causeway.call("POST", "/v1/upstreams", { token: secret, body: sent });
    const redacted = { upstream: { headers: { "X-Team": "[redacted]" } } };
    expect(made.body).toMatchObject(redacted);
    const [byKey, bySession] = [
      await everyAnswer(secret, made.body.upstream.slug),
      await everyAnswer(user.session, made.body.upstream.slug),
    ];
    expect(JSON.stringify(byKey)).not.toContain("blue-secret");
    for (const { body } of bySession) expect(JSON.stringify(body)).toContain("blue-secret");
    expect(JSON.stringify([made, byKey, bySession])).not.toContain("sk-secret");
  });

  it("[probe.patch-headers] keeps a header that is sent back redacted", async () => {
    const upstream = await startFakeUpstream(json(listed));
    const user = await causeway.createUser();
    const made = await create(user, { base_url: upstream.origin, headers: { "x-team": "blue" } });
    const headers = { "x-team": "[redacted]", "x-more": "1" };
    const path = `/v1/upstreams/${made.body.upstream.slug}`;
    await causeway.call("PATCH", path, { token: user.session, body: { headers } });
    const { headers: dialled } = await upstream.request(1);
    expect(dialled).toMatchObject({ "x-team": "blue", "x-more": "1" });
  });

  it("[upstream.slug] [slug.fixed] keeps its slug when its label changes", async () => {
    const { origin } = await startFakeUpstream(json(listed));
    const user = await causeway.createUser();
    await create(user, { label: "First", base_url: origin });
    const { body } = await causeway.call("PATCH", "/v1/upstreams/first", {
      token: user.session,
      body: { label: "Second" },
    });
    expect(body.upstream).toMatchObject({ slug: "first", label: "Second" });
  });

  it("[probe.delete] [endpoints.delete] is removed with 204 and no body, its stored key with it", async () => {
    const { origin } = await startFakeUpstream(json(listed));
    const user = await causeway.createUser();
    const { body } = await create(user, { base_url: origin, headers: { a: "b" } });
    const path = `/v1/upstreams/${body.upstream.slug}`;
    const removed = await causeway.call("DELETE", path, { token: user.session });
    expect([removed.status, removed.body]).toEqual([204, ""]);
    expect(await sealedOf(user)).toEqual([{ api_key: null, headers: null }]);
    const again = await causeway.call("DELETE", path, { token: user.session });
    expect(again).toMatchObject({ status: 404, body: { error: "not_found" } });
  });

  it("[identity.sealed] is stored without a secret in the clear", async () => {
    const { origin } = await startFakeUpstream(json(listed));
    const user = await causeway.createUser();
    await create(user, { base_url: origin, headers: { "x-team": "blue-secret" } });
    const stored = JSON.stringify(await sealedOf(user));
    expect(stored).not.toContain("sk-local");
    expect(stored).not.toContain("blue-secret");
    expect(stored).not.toContain("null");
  });
});

describe("GET /v1/upstreams", () => {
  it("[list.envelope] [version.legacy] [endpoints.legacy] has the envelope, and the same rows under the legacy name", async () => {
    const { origin } = await startFakeUpstream(json(listed));
    const user = await causeway.createUser();
    for (const label of ["a", "b"]) await create(user, { label, base_url: origin });
    const { body } = await causeway.call("GET", "/v1/upstreams", { token: user.session });
    expect(Object.keys(body).toSorted()).toEqual(
      ["object", "data", "has_more", "first_id", "last_id", "upstreams"].toSorted(),
    );
    expect(body).toMatchObject({ object: "list", has_more: false, first_id: "a", last_id: "b" });
    expect(body.upstreams).toEqual(body.data);
  });

  it("[identity.account] [endpoints.list] shows the endpoints of one account only", async () => {
    const { origin } = await startFakeUpstream(json(listed));
    const [mine, other] = [await causeway.createUser(), await causeway.createUser()];
    await create(mine, { label: "mine", base_url: origin });
    const { body } = await causeway.call("GET", "/v1/upstreams", { token: other.session });
    expect(body.data).toEqual([]);
    for (const [method, path] of [
      ["PATCH", "/v1/upstreams/mine"],
      ["DELETE", "/v1/upstreams/mine"],
      ["POST", "/v1/upstreams/mine/probe"],
    ] as const) {
      const answer = await causeway.call(method, path, { token: other.session, body: {} });
      expect(answer).toMatchObject({ status: 404, body: { error: "not_found" } });
    }
  });
});

describe("POST /v1/upstreams/{slug}/probe", () => {
  it("[probe.post] [probe.models] is 200 when the probe fails, folds in what is listed and removes nothing", async () => {
    const upstream = await startFakeUpstream(json(listed));
    const user = await causeway.createUser();
    await create(user, { label: "p", base_url: upstream.origin, models: ["mine"] });
    upstream.play(text("", 401));
    const failed = await causeway.call("POST", "/v1/upstreams/p/probe", { token: user.session });
    expect(failed).toMatchObject({
      status: 200,
      body: {
        upstream: { models: ["mine", "b", "c"] },
        probe: { ok: false, error: "http_401" },
      },
    });
    upstream.play(json({ data: [{ id: "d" }] }));
    const { body } = await causeway.call("POST", "/v1/upstreams/p/probe", { token: user.session });
    expect(body).toMatchObject({
      upstream: { models: ["mine", "b", "c", "d"] },
      probe: { ok: true, models_found: 1 },
    });
  });

  it("[endpoints.probe] dials with the key in the style of the dialect", async () => {
    const upstream = await startFakeUpstream(json(listed));
    const user = await causeway.createUser();
    for (const dialect of ["dialect_chat", "dialect_messages"]) {
      await create(user, { base_url: `${upstream.origin}/deep/`, dialect });
    }
    const [chat, messages] = [await upstream.request(0), await upstream.request(1)];
    expect([chat.method, chat.path]).toEqual(["GET", "/deep/models"]);
    expect(chat.headers.authorization).toBe("Bearer sk-local");
    expect(messages.headers).toMatchObject({ "x-api-key": "sk-local" });
    expect(messages.headers.authorization).toBeUndefined();
  });
});

function create(user: TestUser, fields: Record<string, unknown>): Promise<RestAnswer> {
  const body = { label: "Local", api_key: "sk-local", ...fields };
  return causeway.call("POST", "/v1/upstreams", { token: user.session, body });
}

function numbered(count: number, value: string): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, value]));
}

/** Every answer that shows an endpoint, to one credential. */
function everyAnswer(token: string, slug: string): Promise<RestAnswer[]> {
  const path = `/v1/upstreams/${slug}`;
  return Promise.all([
    causeway.call("GET", "/v1/upstreams", { token }),
    causeway.call("PATCH", path, { token, body: {} }),
    causeway.call("POST", `${path}/probe`, { token }),
  ]);
}

/** What is stored of the secrets of a user's endpoints. */
async function sealedOf({ id }: TestUser): Promise<unknown[]> {
  const client = new Client({ connectionString: causeway.connectionString });
  await client.connect();
  try {
    const sql = "select api_key, headers from upstreams where account_id = $1";
    return (await client.query(sql, [id])).rows;
  } finally {
    await client.end();
  }
}

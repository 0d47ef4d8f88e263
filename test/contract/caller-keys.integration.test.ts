/** Caller keys from outside. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isWellFormedCredentialToken } from "../../src/platform/crypto/token.ts";
import { startLoopbackUpstream, type LoopbackUpstream } from "../support/loopback-upstream.ts";
import {
  startTestInstance,
  type RestAnswer,
  type TestInstance,
  type TestUser,
} from "../support/test-instance.ts";

let causeway: TestInstance;
let upstream: LoopbackUpstream;

beforeAll(async () => {
  upstream = await startLoopbackUpstream(["m"]);
  causeway = await startTestInstance();
});

afterAll(async () => {
  await causeway.close();
  await upstream.close();
});

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe("a new key", () => {
  it("[key.fields] [key.prefix] [key.route] [key.mode] [identity.timestamps] has every field of the contract, and the defaults", async () => {
    const user = await causeway.createUser();
    const { status, body } = await makeKey(user, {});
    expect(status).toBe(201);
    expect(Object.keys(body).toSorted()).toEqual(["key", "secret"]);
    expect(body.key).toEqual({
      id: expect.stringMatching(/^key_[0-9a-z]{26}$/),
      object: "key",
      name: "unnamed",
      prefix: body.secret.slice(0, 10),
      user_id: user.id,
      scopes: ["gateway:invoke"],
      route: "auto",
      mode: "model",
      allowed_models: [],
      budget: null,
      rate_limit: null,
      tags: {},
      expires_at: null,
      last_used_at: null,
      created_at: expect.stringMatching(instant),
      revoked_at: null,
    });
  });

  it("[identity.key-form] [identity.hashes] has a secret of the published form, shown this once", async () => {
    const user = await causeway.createUser();
    const { body } = await makeKey(user, { name: "ci" });
    expect(body.secret).toMatch(/^cwk_[0-9A-Za-z]{49}$/);
    expect(isWellFormedCredentialToken(body.secret, "cwk")).toBe(true);
    const list = await causeway.call("GET", "/v1/keys", { token: user.session });
    expect(list.body.data).toEqual([body.key]);
  });

  it("[key.scopes] [key.budget-shape] takes every setting, and no scope at all", async () => {
    const settings = {
      name: "ci",
      scopes: [],
      route: "credits",
      mode: "agent",
      allowed_models: ["custom/*"],
      budget: { limit_usd: 0.5, window: "day" },
      rate_limit: { requests_per_minute: 1, burst: 2 },
      tags: { project: "alpha" },
      expires_at: "2036-11-20T23:00:00.000Z",
    };
    const { body } = await makeKey(await causeway.createUser(), settings);
    const budget = { ...settings.budget, spent_usd: 0 };
    expect(body.key).toMatchObject({ ...settings, budget });
  });

  it("[identity.team-key-member] of a team needs a membership in the team", async () => {
    const body = { team_id: "team_00000000000000000000000000" };
    expect(await makeKey(await causeway.createUser(), body)).toMatchObject({
      status: 404,
      body: { error: "not_found" },
    });
  });

  it("made by the operator takes the same fields", async () => {
    const { id } = await causeway.createUser();
    const body = { name: "ci", scopes: ["teams:read"], route: "byo" };
    const answer = await causeway.call("POST", `/v1/admin/users/${id}/keys`, {
      token: causeway.adminToken,
      body,
    });
    expect(answer).toMatchObject({ status: 201, body: { key: { ...body, user_id: id } } });
    expect(answer.body.secret).toMatch(/^cwk_/);
  });
});

describe("the scope that an operation needs", () => {
  const operations: readonly [string, string, unknown][] = [
    ["endpoints:read", "GET /v1/upstreams", undefined],
    ["endpoints:write", "POST /v1/upstreams", {}],
    ["endpoints:read", "GET /v1/vendors", undefined],
    ["gateway:invoke", "POST /v1/chat/completions", {}],
    ["gateway:invoke", "POST /v1/messages", {}],
    ["gateway:invoke", "POST /v1/responses", {}],
    ["gateway:invoke", "POST /v1/embeddings", {}],
  ];

  it.each(operations)(
    "[auth.scopes] [auth.model-calls] is %s for %s, and no other will do",
    async (scope, operation, body) => {
      const user = await causeway.createUser();
      const all = [
        "gateway:invoke",
        "teams:read",
        "teams:write",
        "endpoints:read",
        "endpoints:write",
      ];
      const others = await user.createKey({ scopes: all.filter((other) => other !== scope) });
      const { secret } = await user.createKey({ scopes: [scope] });
      const [method = "", path = ""] = operation.split(" ");
      const refused = await causeway.call(method, path, { token: others.secret, body });
      expect(refused.status).toBe(403);
      expect(JSON.stringify(refused.body)).toContain("insufficient_scope");
      const admitted = await causeway.call(method, path, { token: secret, body });
      expect([200, 400]).toContain(admitted.status);
    },
  );
});

describe("a key that is no longer live is 403 insufficient_scope", () => {
  it("[shape.revoked-key] when it is revoked, for ever, and stays in the list", async () => {
    const user = await causeway.createUser();
    const key = await user.createKey({ scopes: ["endpoints:read"] });
    expect(await listUpstreams(key.secret)).toMatchObject({ status: 200 });
    const revoked = await causeway.call("DELETE", `/v1/keys/${key.id}`, { token: user.session });
    expect(revoked.body).toMatchObject({ id: key.id, object: "key" });
    expect(revoked.body.revoked_at).toMatch(instant);
    await expectRefused(key.secret);
    const again = await causeway.call("DELETE", `/v1/keys/${key.id}`, { token: user.session });
    expect(again.body.revoked_at).toBe(revoked.body.revoked_at);
    const list = await causeway.call("GET", "/v1/keys", { token: user.session });
    expect(list.body.data).toMatchObject([{ id: key.id, revoked_at: revoked.body.revoked_at }]);
  });

  it("[refused.rotated] when it is rotated: the old secret is refused, the new one works at once", async () => {
    const user = await causeway.createUser();
    const key = await user.createKey({ scopes: ["endpoints:read"] });
    const path = `/v1/keys/${key.id}/rotate`;
    const { status, body } = await causeway.call("POST", path, { token: user.session });
    expect(status).toBe(200);
    expect(body.key).toMatchObject({ id: key.id, prefix: body.secret.slice(0, 10) });
    await expectRefused(key.secret);
    expect(await listUpstreams(body.secret)).toMatchObject({ status: 200 });
  });

  it.each(["/v1/chat/completions", "/v1/responses", "/v1/messages"])(
    "[rate.headers] on %s with the fields of its bucket all the same",
    async (path) => {
      const user = await causeway.createUser();
      const rate_limit = { requests_per_minute: 30, burst: 7 };
      const { body } = await makeKey(user, { rate_limit });
      await causeway.call("DELETE", `/v1/keys/${body.key.id}`, { token: user.session });
      for (let count = 0; count < 2; count++) {
        const answer = await causeway.call("POST", path, { token: body.secret, body: {} });
        expect(answer.status).toBe(403);
        expect(answer.headers.get("ratelimit-policy")).toContain("q=7");
        expect(answer.headers.get("ratelimit")).toContain("r=7");
      }
    },
  );

  it("[refused.expired] when it has expired", async () => {
    const user = await causeway.createUser();
    const key = await user.createKey({ scopes: ["endpoints:read"] });
    expect(await listUpstreams(key.secret)).toMatchObject({ status: 200 });
    await causeway.call("PATCH", `/v1/keys/${key.id}`, {
      token: user.session,
      body: { expires_at: new Date(Date.now() - 1).toISOString() },
    });
    await expectRefused(key.secret);
  });

  it("[refused.disabled] while its user is disabled, and works again afterwards", async () => {
    const user = await causeway.createUser();
    const key = await user.createKey({ scopes: ["endpoints:read"] });
    await setDisabled(user, true);
    await expectRefused(key.secret);
    await setDisabled(user, false);
    expect(await listUpstreams(key.secret)).toMatchObject({ status: 200 });
  });

  it("[shape.deleted] when its user is deleted", async () => {
    const user = await causeway.createUser();
    const { secret } = await user.createKey({ scopes: ["endpoints:read"] });
    const path = `/v1/admin/users/${user.id}`;
    const deleted = await causeway.call("DELETE", path, { token: causeway.adminToken });
    expect(deleted.body).toEqual({ id: user.id, object: "user", deleted: true });
    await expectRefused(secret);
  });

  it("on model calls as well, in the dialect of the call", async () => {
    const user = await causeway.createUser();
    const { id, secret } = await user.createKey();
    await causeway.call("DELETE", `/v1/keys/${id}`, { token: user.session });
    const chat = await causeway.call("POST", "/v1/chat/completions", { token: secret, body: {} });
    expect(chat).toMatchObject({ status: 403, body: { error: { code: "insufficient_scope" } } });
    const messages = await causeway.call("POST", "/v1/messages", { token: secret, body: {} });
    expect(messages).toMatchObject({
      status: 403,
      body: { type: "error", error: { details: { error_code: "insufficient_scope" } } },
    });
  });
});

describe("keys", () => {
  it("[key.last-used] show when they were last used", async () => {
    const user = await causeway.createUser();
    const { secret } = await user.createKey({ scopes: ["endpoints:read"] });
    await listUpstreams(secret);
    await expect
      .poll(() => firstKey(user), { timeout: 10_000 })
      .toMatchObject({ last_used_at: expect.stringMatching(instant) });
  });

  it("[error.404] of somebody else do not exist", async () => {
    const [mine, other] = [await causeway.createUser(), await causeway.createUser()];
    const { id } = await other.createKey();
    for (const [method, path] of [
      ["PATCH", `/v1/keys/${id}`],
      ["DELETE", `/v1/keys/${id}`],
      ["POST", `/v1/keys/${id}/rotate`],
    ] as const) {
      const answer = await causeway.call(method, path, { token: mine.session, body: {} });
      expect(answer).toMatchObject({ status: 404, body: { error: "not_found" } });
    }
  });

  it("are listed and revoked by the operator", async () => {
    const user = await causeway.createUser();
    const { id, secret } = await user.createKey({ scopes: ["endpoints:read"] });
    const path = `/v1/admin/users/${user.id}/keys`;
    const list = await causeway.call("GET", path, { token: causeway.adminToken });
    expect(list.body.data).toMatchObject([{ id, user_id: user.id }]);
    const revoked = await causeway.call("DELETE", `${path}/${id}`, { token: causeway.adminToken });
    expect(revoked.body).toMatchObject({ id, revoked_at: expect.stringMatching(instant) });
    await expectRefused(secret);
  });
});

function makeKey({ session: token }: TestUser, body: unknown): Promise<RestAnswer> {
  return causeway.call("POST", "/v1/keys", { token, body });
}

function listUpstreams(token: string): Promise<RestAnswer> {
  return causeway.call("GET", "/v1/upstreams", { token });
}

/** Another process would need up to a second to hear of it; this one too, by the change feed. */
async function expectRefused(secret: string): Promise<void> {
  await expect
    .poll(() => listUpstreams(secret), { timeout: 1000 })
    .toMatchObject({ status: 403, body: { error: "insufficient_scope" } });
}

function setDisabled({ id }: TestUser, disabled: boolean): Promise<RestAnswer> {
  const body = { disabled };
  return causeway.call("PATCH", `/v1/admin/users/${id}`, { token: causeway.adminToken, body });
}

async function firstKey({ session: token }: TestUser): Promise<unknown> {
  return (await causeway.call("GET", "/v1/keys", { token })).body.data[0];
}
